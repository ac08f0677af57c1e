import StratusDomain
import StratusServer
import StratusTesting
import StratusWire
import Testing

@testable import StratusAccounts

@Suite struct `A deleted account` {
  private static let address = StoreAddress(
    container: "iCloud.org.example.Notes", environment: .development)

  private func delete(
    _ server: TestServer, _ email: String, _ choice: String = "keep"
  ) async throws -> JSON {
    try await server.manage(
      "accounts/delete", ["email": .string(email), "publicRecords": .string(choice)])
  }

  /// Saves a zone, private and public records, a subscription and a key. Returns the user record
  /// name.
  private func fill(_ anna: Client) async throws -> String {
    try await anna.makeZone("Trips")
    for number in 0..<12 { try await anna.save("n-\(number)", in: "Trips") }
    try await anna.save("d-1")
    _ = try await anna.post(
      "subscriptions/modify",
      [
        "operations": [
          [
            "operationType": "create",
            "subscription": ["subscriptionID": "s", "subscriptionType": "database"],
          ]
        ]
      ])
    _ = try await anna.post(
      "encryption/register", ["publicKey": .string(AccessScene.publicKey)])
    var device = anna
    device.database = "public"
    try await device.save("p-1", fields: ["title": ["value": "Milk"]])
    return try await anna.userName()
  }

  @Test func `everything of the account disappears, and a receipt with counts stays`() async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let user = try await fill(anna)
      let receipt = try await delete(server, "anna@example.org")
      #expect(!receipt["endedAt"].isNull)
      // The zones are the default zone and Trips. The records are their 12 + 1 notes and the
      // private user record.
      #expect(receipt["counts"]["zones"] == 2)
      #expect(receipt["counts"]["records"] == 14)
      #expect(receipt["counts"]["subscriptions"] == 1)
      #expect(receipt["counts"]["keys"] == 1)
      #expect(receipt["counts"]["sessions"] == 1)
      let store = try await server.store(at: Self.address)
      let left = try await store.read { (store) throws(ServerError) in
        let key = DatabaseKey.private(owner: user)
        return (
          try store.zones(in: key, after: nil, limit: 9).count,
          try store.zoneChanges(in: key, after: 0, limit: 9).count,
          try store.usedBytes(of: key),
          try store.userKey(of: user) == nil,
          try store.subscriptionCount(of: user, in: .private(user: user))
        )
      }
      #expect(left == (0, 0, 0, true, 0))
      #expect(try await anna.answer("users/caller", [:]).status == 421)
      let listed = try await server.manage("accounts/list", [:])["accounts"].array ?? []
      #expect(!listed.contains { $0["email"] == "anna@example.org" })
      let kept = try await server.manage("accounts/receipts", ["id": receipt["id"]])
      #expect(kept["receipts"] == [receipt])
    }
  }

  @Test func `the audit log names the receipt`() async throws {
    try await withServer { server in
      _ = try await server.client("anna@example.org")
      let receipt = try await delete(server, "anna@example.org")
      let entries = try await server.manage("audit/list", [:])["entries"]
      #expect(entries[0]["action"] == "accounts/delete")
      let id = try #require(receipt["id"].string)
      #expect(entries[0]["subject"] == .string("receipt " + id))
      #expect(entries[0]["account"] == receipt["accountID"])
    }
  }

  @Test
  func `public records are deleted or stay without the user's name, as the request chooses`()
    async throws
  {
    for choice in ["keep", "delete"] {
      try await withServer { server in
        let anna = try await server.client("anna@example.org")
        var bob = try await server.client("bob@example.org")
        bob.database = "public"
        let user = try await fill(anna)
        let reference: JSON = ["recordName": "p-1", "action": "DELETE_SELF"]
        try await bob.save("answer", fields: ["to": ["value": reference, "type": "REFERENCE"]])
        _ = try await delete(server, "anna@example.org", choice)
        try await server.continueCascades()
        let found = try await bob.lookup(["p-1", user, "answer"])
        #expect(found[1]["serverErrorCode"] == "NOT_FOUND")
        if choice == "keep" {
          #expect(found[0]["created"]["userRecordName"] == "_removed")
          #expect(found[0]["modified"]["userRecordName"] == "_removed")
          #expect(found[0]["fields"]["title"]["value"] == "Milk")
          #expect(found[2]["serverErrorCode"].isNull)
        } else {
          #expect(found[0]["serverErrorCode"] == "NOT_FOUND")
          #expect(found[2]["serverErrorCode"] == "NOT_FOUND")
        }
        #expect(!"\(found[0])".contains(user))
      }
    }
  }

  @Test func `shares of the account end, and the account leaves the shares of others`() async throws
  {
    try await withServer { server in
      let scene = try await ShareScene(server)
      let bob = try await scene.guest("bob")
      let share = try await scene.share("Rome", publicly: "READ_WRITE")
      try await scene.accept(share["shortGUID"], as: bob)
      #expect(try await scene.records(of: bob).contains("Rome"))
      let bobName = try await scene.name(of: bob)
      let receipt = try await delete(server, "bob@example.org")
      #expect(receipt["counts"]["sharesLeft"] == 1)
      let rest = try await scene.ann.lookup(["Share-1", "Arch"], in: "Trips")
      #expect(!"\(rest)".contains(bobName))
      #expect(rest[1]["serverErrorCode"].isNull)

      let cid = try await scene.guest("cid")
      try await scene.accept(share["shortGUID"], as: cid)
      _ = try await delete(server, "ann@example.org")
      #expect(try await cid.post("zones/list")["zones"] == [])
    }
  }

  @Test func `a deletion continues after a crash at any step`() async throws {
    for steps in 0..<6 {
      try await KeyFolder.with { url in
        var server = try await TestServer(onDiskIn: url)
        let anna = try await server.client("anna@example.org")
        _ = try await fill(anna)
        let id = try await server.accountID("anna@example.org")
        let start = try await server.remover.begin(id, .keep)
        guard case .begun(let removal) = start else { throw UnexpectedStart() }
        _ = try await server.remover.advance(removal, stepsMax: steps)
        // The account can neither be used nor be enabled.
        #expect(try await anna.answer("users/caller", [:]).status == 421)
        let enabled = try await server.managementAnswer(
          "accounts/enable", ["email": "anna@example.org"])
        #expect(enabled.status == 400)
        await server.stop()
        server = try await TestServer(onDiskIn: url)
        try await server.finishRemovals()
        let receipts = try await server.manage("accounts/receipts", [:])["receipts"]
        #expect(!receipts[0]["endedAt"].isNull)
        let left = try await server.accounts.registry.account(email: "anna@example.org")
        #expect(left == nil)
        await server.stop()
      }
    }
  }

  private struct UnexpectedStart: Error {}

  @Test func `an account that is being deleted gets no new session`() async throws {
    try await withServer { server in
      _ = try await server.client("anna@example.org")
      try await server.manage("containers/create", ["containerID": "iCloud.test.a"])
      let id = try await server.accountID("anna@example.org")
      _ = try await server.remover.begin(id, .keep)
      let made = try await server.managementAnswer(
        "web-tokens/create",
        ["email": "anna@example.org", "containerID": "iCloud.test.a", "environment": "production"])
      #expect(made.status == 400)
      #expect(made.json["reason"].string?.contains("disabled") == true)
    }
  }

  @Test
  func `a zone that a late request creates for a deleted account is deleted later`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      let user = try await fill(anna)
      _ = try await delete(server, "anna@example.org")
      let store = try await server.store(at: Self.address)
      let key = DatabaseKey.private(owner: user)
      _ = try await store.write { (store) throws(ServerError) in
        try store.createZone(named: "Late", in: key)
      }
      try await server.finishRemovals()
      func zones() async throws -> Int {
        try await store.read { (store) throws(ServerError) in try store.zoneCount(in: key) }
      }
      #expect(try await zones() == 1)
      clock.move(bySeconds: 601)
      try await server.finishRemovals()
      #expect(try await zones() == 0)
    }
  }

  @Test func `the last owner of the team cannot be deleted`() async throws {
    try await ConsoleScene.with { scene in
      _ = try await scene.ownersBrowser()
      let answer = try await scene.server.managementAnswer(
        "accounts/delete", ["email": .string(ConsoleScene.owner)])
      #expect(answer.status == 400)
      #expect(answer.json["reason"].string?.contains("owner") == true)
    }
  }

  @Test func `an unknown account and an unknown choice are refused`() async throws {
    try await withServer { server in
      let unknown = try await server.managementAnswer(
        "accounts/delete", ["email": "nobody@example.org"])
      #expect(unknown.status == 404)
      _ = try await server.client("anna@example.org")
      let choice = try await server.managementAnswer(
        "accounts/delete", ["email": "anna@example.org", "publicRecords": "hide"])
      #expect(choice.status == 400)
      let receipt = try await server.managementAnswer("accounts/receipts", ["id": "none"])
      #expect(receipt.status == 404)
    }
  }
}
