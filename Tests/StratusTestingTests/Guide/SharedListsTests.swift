import CloudKit
import StratusTesting
import Testing

/// Tests the example of docs/guide/sharing.md.
@Suite struct `The guide's shared lists` {
  private static let containerID = "iCloud.com.example.Lists"

  @Test func `two people edit a shared list until one leaves`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let bob = try await server.account("bob@example.com")
    let hers = SharedLists(container: alice.device("phone").container(Self.containerID))
    let his = SharedLists(container: bob.device("phone").container(Self.containerID))

    let list = try await hers.create("groceries", with: "Milk")
    let url = try #require(try await hers.share(list, with: ["bob@example.com"]))
    let share = try await his.open(url)
    #expect(try await his.sharedItems().map { $0["name"] as? String } == ["Milk"])

    let listID = CKRecord.ID(recordName: "groceries", zoneID: share.recordID.zoneID)
    try await his.add("Bread", to: listID)
    #expect(try await his.sharedItems().count == 2)

    try await his.leave(share)
    #expect(try await his.sharedItems().isEmpty)
  }

  @Test
  func `all users with a published list's URL can read the list but not edit it`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let eve = try await server.account("eve@example.com")
    let hers = SharedLists(container: alice.device("phone").container(Self.containerID))
    let url = try #require(
      try await hers.publish(try await hers.create("groceries", with: "Milk")))
    let guests = SharedLists(container: eve.device("phone").container(Self.containerID))
    let share = try await guests.open(url)
    #expect(try await guests.sharedItems().count == 1)
    let listID = CKRecord.ID(recordName: "groceries", zoneID: share.recordID.zoneID)
    await expect(.permissionFailure) { try await guests.add("Bread", to: listID) }
  }

  @Test func `a test can accept a share without its URL`() async throws {
    let server = try await TestServer()
    let alice = try await server.account("alice@example.com")
    let bob = try await server.account("bob@example.com")
    let container = alice.device("phone").container("iCloud.com.example.Lists")
    let list = try await SharedLists(container: container).create("groceries", with: "Milk")

    let share = CKShare(rootRecord: list)
    share.addParticipant(bob.participant(.readOnly))
    _ = try await container.privateCloudDatabase.modifyRecords(saving: [list, share], deleting: [])
    try await bob.accept(share)
    let zones = try await bob.device("phone").container("iCloud.com.example.Lists")
      .sharedCloudDatabase.allRecordZones()
    #expect(zones.map(\.zoneID.zoneName) == ["Lists"])
  }
}
