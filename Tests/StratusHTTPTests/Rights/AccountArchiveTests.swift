import Foundation
import HTTPTypes
import StratusTesting
import StratusWire
import Testing

@Suite struct `An export of an account` {
  private static let email = "anna@example.org"
  private static let photo = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  /// Saves a zone, private and public records, a file and a subscription.
  private func fill(_ anna: Client) async throws {
    try await anna.makeZone("Trips")
    try await anna.save("Rome", in: "Trips", fields: ["title": ["value": "about Rome"]])
    let child: JSON = [
      "recordName": "Forum", "recordType": "Note", "parent": ["recordName": "Rome"],
      "fields": ["title": ["value": "Umlaut ä\n\"quoted\""], "count": ["value": 7]],
    ]
    _ = try await anna.modify(
      [["operationType": "forceUpdate", "record": child]], in: "Trips")
    for number in 0..<250 { try await anna.save("n-\(number)", in: "Trips") }
    let url = try await anna.uploadURL(recordName: "n")
    try await anna.saveNote("n", photo: try await anna.upload(Self.photo, to: url))
    var everyone = anna
    everyone.database = "public"
    try await everyone.save("p-1", fields: ["title": ["value": "Milk"]])
    _ = try await anna.post(
      "subscriptions/modify",
      [
        "operations": [
          [
            "operationType": "create",
            "subscription": [
              "subscriptionID": "s", "subscriptionType": "zone", "zoneID": ["zoneName": "Trips"],
            ],
          ]
        ]
      ])
  }

  @Test func `the archive has the records, files and facts of the account, and no others`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client(Self.email)
      try await fill(anna)
      var bob = try await server.client("bob@example.org")
      try await bob.save("secret", fields: ["title": ["value": "Bob's"]])
      bob.database = "public"
      try await bob.save("p-2", fields: ["title": ["value": "Bob's"]])
      let archive = try await server.export(Self.email)
      #expect(archive.lines("account").first?["email"] == .string(Self.email))
      #expect(archive.record("Forum")?["fields"]["title"]["value"] == "Umlaut ä\n\"quoted\"")
      #expect(archive.record("Forum")?["parentRecordName"] == "Rome")
      #expect(archive.record("p-1")?["database"] == "public")
      #expect(archive.record("secret") == nil)
      #expect(archive.record("p-2") == nil)
      #expect(archive.lines("record").count { $0["zoneName"] == "Trips" } == 252)
      #expect(archive.lines("subscription").count == 1)
      #expect(archive.lines("session").count == 1)
      #expect(Array(archive.assets.values) == [Self.photo])
      #expect(archive.lines.last?.json == ["kind": "end"])
      // The export adds an entry to the audit log. The archive of the next export contains it.
      let again = try await server.export(Self.email)
      #expect(again.lines("auditEntry").contains { $0["action"] == "accounts/export" })
    }
  }

  @Test func `the user sees an export by the operator on the account page`() async throws {
    try await SignInScene.with { scene in
      _ = try await scene.server.export(SignInScene.email)
      let page = try await scene.browser.signIn()
      #expect(page.text.contains("The operator exported your data"))
      let entries =
        try await scene.server.manage(
          "audit/list", ["email": .string(SignInScene.email)])["entries"].array ?? []
      #expect(entries.count { $0["action"] == "accounts/export" } == 1)
    }
  }

  @Test
  func `the cursor of an export opens only the account for which it was made, for a day`()
    async throws
  {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      _ = try await server.client(Self.email)
      _ = try await server.client("bob@example.org")
      let first = try await server.manage("accounts/export", ["email": .string(Self.email)])
      let cursor = first["cursor"]
      for (email, cursor) in [("bob@example.org", cursor), (Self.email, "AAAA")] {
        let answer = try await server.managementAnswer(
          "accounts/export", ["email": .string(email), "cursor": cursor])
        #expect(answer.status == 400)
      }
      clock.move(bySeconds: 86_400)
      let late = try await server.managementAnswer(
        "accounts/export", ["email": .string(Self.email), "cursor": cursor])
      #expect(late.status == 400)
    }
  }

  @Test func `an import on another server restores records, files, zones and subscriptions`()
    async throws
  {
    var archive: ExportedArchive?
    try await withServer { server in
      let anna = try await server.client(Self.email)
      try await fill(anna)
      archive = try await server.export(Self.email)
    }
    let exported = try #require(archive)
    try await withServer { server in
      var anna = try await server.client("ann2@example.org")
      try await server.manage("containers/create", ["containerID": .string(anna.container)])
      for _ in 0..<2 {
        let refusals = try await server.importArchive(exported, into: "ann2@example.org")
        #expect(refusals == [])
      }
      let found = try await anna.lookup(["Rome", "Forum", "n-249"], in: "Trips")
      #expect(found[1]["fields"]["title"]["value"] == "Umlaut ä\n\"quoted\"")
      #expect(found[1]["fields"]["count"]["value"] == 7)
      #expect(found[1]["parent"]["recordName"] == "Rome")
      #expect(found[2]["serverErrorCode"].isNull)
      let name = try await anna.userName()
      #expect(found[0]["created"]["userRecordName"] == .string(name))
      let note = try await anna.lookup(["n"])[0]
      let url = try #require(note["fields"]["photo"]["value"]["downloadURL"].string)
      let bytes = try await anna.transfer(.get, url.replacing("${f}", with: "f")).bytes
      #expect(bytes == Self.photo)
      let subscriptions = try await anna.post("subscriptions/list", [:])["subscriptions"]
      #expect(subscriptions[0]["subscriptionID"] == "s")
      anna.database = "public"
      #expect(try await anna.lookup(["p-1"])[0]["fields"]["title"]["value"] == "Milk")
      // The audit log of the account contains the import.
      let entries =
        try await server.manage(
          "audit/list", ["email": "ann2@example.org"])["entries"].array ?? []
      #expect(entries.contains { $0["action"] == "accounts/import" })
    }
  }

  @Test func `shares are exported, and an import says why it does not restore them`() async throws {
    try await withServer { server in
      let scene = try await ShareScene(server)
      let bob = try await scene.guest("bob")
      let share = try await scene.share("Rome", publicly: "READ_WRITE")
      try await scene.accept(share["shortGUID"], as: bob)
      let archive = try await server.export("ann@example.org")
      #expect(!(archive.record("Share-1")?["share"].isNull ?? true))
      let joined = try await server.export("bob@example.org").lines("joinedShare")
      #expect(joined.map { $0["zoneName"] } == ["Trips"])
      #expect(try await server.export("bob@example.org").record("Rome") == nil)
      _ = try await server.client("ann2@example.org")
      // The root changed last, so the archive has it after its children. The first run refuses the
      // children, because their parent does not exist yet.
      let first = try await server.importArchive(archive, into: "ann2@example.org")
      #expect(first.map { $0["name"] } == ["Forum", "Arch", "Share-1"])
      let refusals = try await server.importArchive(archive, into: "ann2@example.org")
      #expect(refusals.map { $0["kind"] } == ["share"])
      #expect(refusals.map { $0["name"] } == ["Share-1"])
    }
  }

  @Test
  func `an import keeps encrypted values in the same account, and refuses them in another one`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client(Self.email)
      try await anna.makeZone("Trips")
      let key = AccessScene.publicKey
      _ = try await anna.post("encryption/register", ["publicKey": .string(key)])
      _ = try await anna.post(
        "encryption/wrap",
        [
          "zoneID": ["zoneName": "Trips"],
          "key": ["keyID": "AQEBAQEBAQE=", "recipient": .string(key), "wrapped": "AQ=="],
        ])
      let sealed: [UInt8] = [1] + [UInt8](repeating: 1, count: 8) + [UInt8](repeating: 7, count: 40)
      let mood: JSON = [
        "value": .string(Data(sealed).base64EncodedString()), "type": "STRING", "isEncrypted": true,
      ]
      let saved = try await anna.save("n-1", in: "Trips", fields: ["mood": mood])
      try #require(saved["serverErrorCode"].isNull, "\(saved)")
      let archive = try await server.export(Self.email)
      #expect(archive.record("n-1")?["fields"]["mood"]["value"] == mood["value"])
      #expect(archive.lines("zoneKey").count == 1)

      try await anna.deleteZone("Trips")
      #expect(try await server.importArchive(archive, into: Self.email) == [])
      let found = try await anna.lookup(["n-1"], in: "Trips")[0]
      #expect(found["fields"]["mood"]["value"] == mood["value"])

      _ = try await server.client("bob@example.org")
      let refusals = try await server.importArchive(archive, into: "bob@example.org")
      #expect(refusals.map { $0["kind"] } == ["encryptedValue"])
    }
  }

  @Test func `nothing is imported into a restricted account, and faulty files are refused`()
    async throws
  {
    try await withServer { server in
      let anna = try await server.client(Self.email)
      try await server.manage("containers/create", ["containerID": .string(anna.container)])
      func answer(_ asset: JSON) async throws -> Int {
        try await server.managementAnswer(
          "accounts/import",
          [
            "email": .string(Self.email), "containerID": .string(anna.container),
            "environment": "development", "asset": asset,
          ]
        ).status
      }
      let zeros = String(repeating: "0", count: 64)
      let asset: JSON = ["checksum": .string(zeros), "size": 1, "offset": 0, "bytes": "AA=="]
      #expect(try await answer(asset) == 400)
      #expect(try await answer(asset.with("checksum", "../../etc/passwd")) == 400)
      #expect(try await answer(asset.with("offset", -1)) == 413)
      #expect(try await answer(asset.with("size", 1_000_000_000_000)) == 413)
      try await server.manage("accounts/restrict", ["email": .string(Self.email)])
      #expect(try await answer(asset) == 400)
    }
  }
}
