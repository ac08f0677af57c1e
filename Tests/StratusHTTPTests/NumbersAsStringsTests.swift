import Testing

/// Answers to requests with `numbersAsStrings`.
@Suite struct NumbersAsStrings {
  @Test func `numbersAsStrings does not change a reference in a public record`() async throws {
    try await withAnna { client in
      var anna = client
      anna.database = "public"
      try await anna.save("target")
      try await anna.save(
        "n",
        fields: [
          "to": ["value": ["recordName": "target", "action": "NONE"], "type": "REFERENCE"],
          "number": ["value": 7],
        ])
      let plain = try await anna.lookup(["n"])[0]["fields"]
      let body: JSON = ["records": [["recordName": "n"]], "numbersAsStrings": true]
      let shown = try await anna.post("records/lookup", body)["records"][0]["fields"]
      #expect(shown["to"] == plain["to"])
      #expect(shown["number"] == ["value": "7", "type": "INT64"])
    }
  }

  @Test func `numbersAsStrings applies to the server's record in a conflict`() async throws {
    try await withAnna { anna in
      try await anna.save("n", fields: ["number": ["value": 7]])
      let body: JSON = [
        "operations": [
          ["operationType": "create", "record": ["recordName": "n", "recordType": "Note"]]
        ],
        "numbersAsStrings": true,
      ]
      let item = try await anna.post("records/modify", body)["records"][0]
      #expect(item["serverErrorCode"] == "CONFLICT")
      #expect(item["serverRecord"]["fields"]["number"] == ["value": "7", "type": "INT64"])
    }
  }

  @Test func `an encrypted value may have a type name such as ENCRYPTED_BYTES`() async throws {
    try await withAnna { anna in
      // The server accepts the type name, but refuses the value, because it is not encrypted.
      let item = try await anna.save(
        "n",
        fields: ["secret": ["value": "AQ==", "type": "ENCRYPTED_BYTES", "isEncrypted": true]])
      #expect(
        item["reason"].string?.hasSuffix("encrypted values are sealed on the device") == true)
    }
  }
}
