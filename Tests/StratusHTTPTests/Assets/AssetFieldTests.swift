import HTTPTypes
import StratusHTTP
import StratusTesting
import Testing

/// Accepted and refused saves of records with files.
@Suite struct AssetFields {
  @Test func `a list of files keeps its order`() async throws {
    try await withAnna { anna in
      let targets = try await anna.uploadTargets([
        ["recordName": "n", "recordType": "Note", "fieldName": "photos"],
        ["recordName": "n", "recordType": "Note", "fieldName": "photos"],
      ])
      var files: [JSON] = []
      for (index, text) in ["one", "two"].enumerated() {
        let url = try #require(targets[index]["url"].string)
        files.append(try await anna.upload(Array(text.utf8), to: url))
      }
      try await anna.save("n", fields: ["photos": ["value": .array(files)]])
      let photos = try await anna.lookup(["n"])[0]["fields"]["photos"]
      #expect(photos["type"] == "ASSETID_LIST")
      var texts: [String] = []
      for photo in try #require(photos["value"].array) {
        texts.append(
          try await anna.transfer(.get, try #require(photo["downloadURL"].string)).text)
      }
      #expect(texts == ["one", "two"])
    }
  }

  @Test(arguments: ["ASSETID", "ASSET"])
  func `both names of the asset type are accepted`(name: String) async throws {
    try await withAnna { anna in
      let file = try await anna.upload(abc)
      let saved = try await anna.save(
        "n", fields: ["photo": ["value": file, "type": "\(name)"]])
      #expect(saved["fields"]["photo"]["type"] == "ASSETID")
    }
  }

  @Test func `a record keeps its files when a client sends back the whole record`() async throws {
    try await withAnna { anna in
      try await anna.saveNote(photo: try await anna.upload(abc))
      let record = try await anna.lookup(["n"])[0]
      for kind in ["update", "replace", "forceUpdate", "forceReplace"] {
        let tag = try await anna.lookup(["n"])[0]["recordChangeTag"]
        let again = record.with("recordChangeTag", tag)
        let saved = try await anna.modify([["operationType": "\(kind)", "record": again]])[0]
        #expect(saved["fields"]["photo"]["value"]["size"] == 3, "\(kind): \(saved)")
      }
      let other = try await anna.save(
        "m", fields: ["photo": ["value": record["fields"]["photo"]["value"]]])
      #expect(other["serverErrorCode"] == "BAD_REQUEST", "another record does not have the file")
      let field = try await anna.save(
        "n", fields: ["sound": ["value": record["fields"]["photo"]["value"]]])
      #expect(field["serverErrorCode"] == "BAD_REQUEST", "another field does not have the file")
    }
  }

  @Test func `a record keeps its file when its other fields change`() async throws {
    try await withAnna { anna in
      try await anna.saveNote(photo: try await anna.upload(abc))
      try await anna.save("n", fields: ["title": ["value": "Milk"]])
      #expect(try await anna.transfer(.get, try await anna.downloadURL()).bytes == abc)
      try await anna.save("n", fields: ["photo": [:]])
      #expect(try await anna.lookup(["n"])[0]["fields"].keys == ["title"])
    }
  }

  @Test func `an invalid asset is refused, and the error names its field`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let bea = try await server.client("bea@example.org")
      var open = anna
      open.database = "public"
      let file = try await anna.upload(abc)
      let others = try await bea.upload(abc)
      let published = try await open.upload(abc)
      let receipt = try #require(file["receipt"].string)
      let other = try await anna.upload(Array("xyz".utf8))
      let bad: [(String, JSON)] = [
        ("no receipt", ["fileChecksum": "\(checksumOfABC)", "size": 3]),
        ("another user's receipt", others),
        ("another database's receipt", published),
        ("a forged receipt", file.with("receipt", "\(receipt.dropLast())A\(receipt.suffix(0))B")),
        ("a shortened receipt", file.with("receipt", "\(receipt.dropLast(4))")),
        ("an empty receipt", file.with("receipt", "")),
        ("another file's receipt", other.with("fileChecksum", "\(checksumOfABC)")),
        ("another size", file.with("size", 4)),
        ("another checksum", file.with("fileChecksum", other["fileChecksum"])),
        ("no checksum at all", file.with("fileChecksum", "nonsense")),
        ("a negative size", file.with("size", -3)),
        ("no size", ["fileChecksum": "\(checksumOfABC)", "receipt": "\(receipt)"]),
        ("a ticket for a receipt", file.with("receipt", "\(try await anna.ticket())")),
      ]
      for (what, value) in bad {
        let saved = try await anna.save(
          "n", fields: ["photo": ["value": value, "type": "ASSETID"]])
        #expect(saved["serverErrorCode"] == "BAD_REQUEST", "\(what): \(saved)")
        #expect(saved["reason"].string?.contains("photo") == true, "\(what): \(saved)")
        let list = try await anna.save(
          "n", fields: ["photos": ["value": [file, value], "type": "ASSETID_LIST"]])
        #expect(list["serverErrorCode"] == "BAD_REQUEST", "\(what) in a list: \(list)")
      }
      #expect(try await anna.lookup(["n"])[0]["serverErrorCode"] == "NOT_FOUND")
      try await anna.saveNote(photo: file)
    }
  }

  @Test func `an upload receipt is valid for half a day`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let file = try await anna.upload(abc)
      clock.move(bySeconds: 12 * 3_600)
      try await anna.saveNote("n", photo: file)
      clock.move(bySeconds: 1)
      let saved = try await anna.save("m", fields: ["photo": ["value": file]])
      #expect(saved["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  @Test
  func `an atomic batch with a refused asset fails, and the asset's field gets no type`()
    async throws
  {
    try await withAnna { anna in
      try await anna.makeZone("Z")
      let bare: JSON = ["fileChecksum": "\(checksumOfABC)", "size": 3]
      let operations: JSON = [
        ["operationType": "create", "record": ["recordName": "a", "recordType": "Note"]],
        [
          "operationType": "create",
          "record": [
            "recordName": "b", "recordType": "Note", "fields": ["photo": ["value": bare]],
          ],
        ],
      ]
      let results = try await anna.modify(operations, in: "Z")
      #expect(results[0]["serverErrorCode"] == "ATOMIC_ERROR")
      #expect(results[1]["serverErrorCode"] == "BAD_REQUEST")
      // The field has no type yet.
      let saved = try await anna.save("c", in: "Z", fields: ["photo": ["value": "text"]])
      #expect(saved["fields"]["photo"]["type"] == "STRING")
    }
  }

  @Test func `the bytes of a file do not count towards the size of its record`() async throws {
    try await withAnna { anna in
      let file = try await anna.upload([UInt8](repeating: 7, count: 2_000_000))
      try await anna.saveNote(photo: file)
      #expect(try await anna.lookup(["n"])[0]["fields"]["photo"]["value"]["size"] == 2_000_000)
    }
  }
}
