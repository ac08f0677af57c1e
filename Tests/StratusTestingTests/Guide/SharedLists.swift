import CloudKit

/// An app with shopping lists that several people edit.
struct SharedLists {
  private let container: CKContainer
  private let zoneID = CKRecordZone.ID(zoneName: "Lists")

  init(container: CKContainer = .default()) { self.container = container }

  /// Creates a list with one item in a zone of the user.
  func create(_ name: String, with item: String) async throws -> CKRecord {
    let database = container.privateCloudDatabase
    _ = try await database.save(CKRecordZone(zoneID: zoneID))
    let list = CKRecord(
      recordType: "List", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    let milk = CKRecord(recordType: "Item", recordID: CKRecord.ID(zoneID: zoneID))
    milk["name"] = item
    milk.setParent(list)
    _ = try await database.modifyRecords(saving: [list, milk], deleting: [])
    return list
  }

  /// Invites people by their addresses, and returns the URL to send to them.
  func share(_ list: CKRecord, with addresses: [String]) async throws -> URL? {
    let share = CKShare(rootRecord: list)
    share[CKShare.SystemFieldKey.title] = "Groceries"
    let people = try await container.shareParticipants(forEmailAddresses: addresses)
    for person in people.values {
      let participant = try person.get()
      participant.permission = .readWrite
      share.addParticipant(participant)
    }
    let (results, _) = try await container.privateCloudDatabase.modifyRecords(
      saving: [list, share], deleting: [])
    for result in results.values { _ = try result.get() }
    return share.url
  }

  /// Lets all users with the URL read the list.
  func publish(_ list: CKRecord) async throws -> URL? {
    let share = CKShare(rootRecord: list)
    share.publicPermission = .readOnly
    let (results, _) = try await container.privateCloudDatabase.modifyRecords(
      saving: [list, share], deleting: [])
    for result in results.values { _ = try result.get() }
    return share.url
  }

  /// Accepts the share with this URL.
  func open(_ url: URL) async throws -> CKShare {
    let metadata = try await container.shareMetadata(for: url)
    return try await container.accept(metadata)
  }

  /// The items of all lists that other people share with this user.
  func sharedItems() async throws -> [CKRecord] {
    let database = container.sharedCloudDatabase
    var items: [CKRecord] = []
    for zone in try await database.allRecordZones() {
      let query = CKQuery(recordType: "Item", predicate: NSPredicate(value: true))
      let (found, _) = try await database.records(matching: query, inZoneWith: zone.zoneID)
      items += try found.map { try $0.1.get() }
    }
    return items
  }

  /// Adds an item to a list that another user owns.
  func add(_ name: String, to listID: CKRecord.ID) async throws {
    let item = CKRecord(recordType: "Item", recordID: CKRecord.ID(zoneID: listID.zoneID))
    item["name"] = name
    item.setParent(listID)
    try await container.sharedCloudDatabase.save(item)
  }

  /// Creates a URL for one person. The user need not know the person's address.
  func oneTimeURL(for share: CKShare) async throws -> URL? {
    let guest = CKShare.Participant.oneTimeURLParticipant()
    guest.permission = .readWrite
    share.addParticipant(guest)
    try await container.privateCloudDatabase.save(share)
    return share.oneTimeURL(for: guest.participantID)
  }

  /// Approves the users who have asked for access, except those that the user refuses.
  func answerRequests(to share: CKShare, refusing isRefused: (CKUserIdentity) -> Bool) async throws
  {
    let refused = share.requesters.filter { isRefused($0.userIdentity) }
    let approved = share.requesters.filter { !isRefused($0.userIdentity) }
    let people = try await container.shareParticipants(for: approved.map(\.participantLookupInfo))
    for person in people.values { share.addParticipant(try person.get()) }
    share.denyRequesters(refused)
    try await container.privateCloudDatabase.save(share)
  }

  /// Leaves a list that another user owns.
  func leave(_ share: CKShare) async throws {
    try await container.sharedCloudDatabase.deleteRecord(withID: share.recordID)
  }
}
