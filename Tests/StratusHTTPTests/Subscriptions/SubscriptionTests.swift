import Testing

/// The endpoints `subscriptions/modify`, `list` and `lookup`.
@Suite struct `Subscription endpoints` {
  private let query: JSON = [
    "subscriptionID": "q", "subscriptionType": "query", "firesOn": ["create", "delete"],
    "firesOnce": true,
    "query": [
      "recordType": "Note",
      "filterBy": [
        ["comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "x"]]
      ],
    ],
    "notificationInfo": [
      "alertBody": "!", "shouldBadge": true, "additionalFields": ["title"],
      "collapseIDKey": "title", "unknown": 1,
    ],
  ]

  private func operation(_ kind: String, _ subscription: JSON) -> JSON {
    ["operationType": "\(kind)", "subscription": subscription]
  }

  private func withNotes(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n", fields: ["title": ["value": "x"]])
      try await body(anna)
    }
  }

  @Test
  func `a saved subscription is returned as it was sent, also in lists and lookups`()
    async throws
  {
    try await withNotes { anna in
      let made = try await anna.post(
        "subscriptions/modify", ["operations": [operation("create", query)]])
      let item = made["subscriptions"][0]
      #expect(item["subscriptionID"] == "q")
      #expect(item["subscriptionType"] == "query")
      #expect(item["zoneWide"] == true)
      #expect(item["firesOn"] == ["create", "delete"])
      #expect(item["firesOnce"] == true)
      #expect(item["query"]["recordType"] == "Note")
      #expect(item["query"]["filterBy"][0]["fieldValue"]["value"] == "x")
      #expect(item["notificationInfo"]["alertBody"] == "!")
      #expect(item["notificationInfo"]["shouldBadge"] == true)
      #expect(item["notificationInfo"]["additionalFields"] == ["title"])
      #expect(item["notificationInfo"]["collapseIDKey"] == "title")
      let listed = try await anna.get("subscriptions/list")
      #expect(listed.status == 200)
      #expect(listed.json == ["subscriptions": [item]])
      let found = try await anna.post(
        "subscriptions/lookup",
        ["subscriptions": [["subscriptionID": "q"], ["subscriptionID": "none"]]])
      #expect(found["subscriptions"][0] == item)
      let missing = found["subscriptions"][1]
      #expect(missing["subscriptionID"] == "none")
      #expect(missing["serverErrorCode"] == "NOT_FOUND")
      #expect(missing["reason"].string?.isEmpty == false)
      #expect(missing["uuid"].string?.isEmpty == false)
    }
  }

  @Test func `a subscription can be deleted by its ID or by its whole dictionary`() async throws {
    try await withNotes { anna in
      let zone: JSON = [
        "subscriptionID": "z", "subscriptionType": "zone", "zoneID": ["zoneName": "Work"],
      ]
      let answer = try await anna.post(
        "subscriptions/modify",
        [
          "operations": [
            operation("update", query), operation("create", zone),
            operation("delete", ["subscriptionID": "q"]), operation("delete", zone),
            operation("delete", zone),
          ]
        ])
      #expect(answer["subscriptions"][1]["zoneID"]["zoneName"] == "Work")
      #expect(answer["subscriptions"][2] == ["subscriptionID": "q", "deleted": true])
      #expect(answer["subscriptions"][3] == ["subscriptionID": "z", "deleted": true])
      #expect(answer["subscriptions"][4]["serverErrorCode"] == "NOT_FOUND")
      #expect(try await anna.get("subscriptions/list").json == ["subscriptions": []])
    }
  }

  @Test
  func `an invalid subscription does not prevent the other operations of its request`() async throws
  {
    try await withNotes { anna in
      let lost: JSON = [
        "subscriptionID": "l", "subscriptionType": "zone", "zoneID": ["zoneName": "None"],
      ]
      let answer = try await anna.post(
        "subscriptions/modify",
        ["operations": [operation("create", lost), operation("create", query)]])
      #expect(answer["subscriptions"][0]["subscriptionID"] == "l")
      #expect(answer["subscriptions"][0]["serverErrorCode"] == "ZONE_NOT_FOUND")
      #expect(answer["subscriptions"][1]["subscriptionID"] == "q")
      #expect(try await anna.get("subscriptions/list").json["subscriptions"].array?.count == 1)
    }
  }

  @Test(
    arguments: [
      ["subscriptionType": "query", "firesOn": ["create"]],
      ["subscriptionType": "zone"],
      ["subscriptionType": "other"],
      ["subscriptionID": 1, "subscriptionType": "database"],
      [
        "subscriptionType": "query", "firesOn": ["never"], "query": ["recordType": "Note"],
      ],
    ] as [JSON])
  func `a malformed subscription is refused as a bad request`(_ subscription: JSON) async throws {
    try await withNotes { anna in
      let answer = try await anna.answer(
        "subscriptions/modify", ["operations": [operation("create", subscription)]])
      #expect(answer.status == 400)
      #expect(answer.json["serverErrorCode"] == "BAD_REQUEST")
    }
  }

  /// The limit ensures that all subscriptions of a user fit in one answer.
  @Test
  func `a subscription is refused if all subscriptions of its user would be too large together`()
    async throws
  {
    try await withNotes { anna in
      let text = String(repeating: "x", count: 60_000)
      var codes: [JSON] = []
      for batch in 0..<4 {
        let operations = (0..<40).map { index in
          operation(
            "create",
            [
              "subscriptionID": "s-\(batch)-\(index)", "subscriptionType": "database",
              "notificationInfo": ["alertBody": "\(text)"],
            ])
        }
        let answer = try await anna.post(
          "subscriptions/modify", ["operations": .array(operations)])
        codes += (answer["subscriptions"].array ?? []).map { $0["serverErrorCode"] }
      }
      let saved = codes.filter(\.isNull).count
      #expect((130..<140).contains(saved))
      #expect(codes.last == "BAD_REQUEST")
      let list = try await anna.get("subscriptions/list")
      #expect(list.status == 200 && list.json["subscriptions"].array?.count == saved)
    }
  }

  @Test
  func `an anonymous caller cannot list subscriptions and is asked to sign in`() async throws {
    try await withServer { server in
      let answer = try await server.otherUser.get("subscriptions/list")
      #expect(answer.json["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
    }
  }
}
