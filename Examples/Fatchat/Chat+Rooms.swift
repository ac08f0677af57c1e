import CloudKit

/// Private rooms. A room is a zone in the private database of its owner. The owner shares the whole
/// zone, and the other people find it in their shared databases.
extension Chat {
  /// Returns the database that contains the records of a channel.
  ///
  /// - Parameter zoneID: the zone of a private room. Nil and the default zone stand for the public
  ///   database.
  func home(of zoneID: CKRecordZone.ID?) -> CKDatabase {
    guard let zoneID, zoneID.zoneName != CKRecordZone.ID.defaultZoneName else { return database }
    return zoneID.ownerName == CKCurrentUserDefaultName
      ? container.privateCloudDatabase : container.sharedCloudDatabase
  }

  /// Returns the user's own rooms and the rooms of other people that the user has joined.
  func rooms() async throws -> [Channel] {
    let own = try await container.privateCloudDatabase.allRecordZones()
    let joined = try await container.sharedCloudDatabase.allRecordZones()
    return (own + joined).compactMap { Channel(room: $0.zoneID) }.sorted { $0.name < $1.name }
  }

  /// Creates a private room that belongs to the user.
  ///
  /// - Throws: `UsageError` if the user has a room with this name.
  func makeRoom(_ name: String) async throws -> Channel {
    guard let room = try Channel(name).ownRoom, let zoneID = room.room else {
      throw UsageError("That is not the name of a room.")
    }
    if try await exists(room) { throw UsageError("You have a room \(room.title) already.") }
    let zone = CKRecordZone(zoneID: zoneID)
    try await container.privateCloudDatabase.save(zone)
    let share = CKShare(recordZoneID: zoneID)
    share[CKShare.SystemFieldKey.title] = room.title
    try await container.privateCloudDatabase.save(share)
    return room
  }

  /// Invites a person to a room of the user.
  ///
  /// - Returns: the URL that the person opens.
  func invite(_ address: String, to channel: Channel) async throws -> URL {
    guard let room = channel.room, room.ownerName == CKCurrentUserDefaultName else {
      throw UsageError("You can invite people only to your own rooms: '/room NAME' makes one.")
    }
    let shareID = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: room)
    guard let share = try await container.privateCloudDatabase.record(for: shareID) as? CKShare
    else { throw CKError(.unknownItem) }
    let person = try await container.shareParticipant(forEmailAddress: address)
    person.permission = .readWrite
    share.addParticipant(person)
    guard let saved = try await container.privateCloudDatabase.save(share) as? CKShare,
      let url = saved.url
    else { throw CKError(.internalError) }
    return url
  }

  /// Joins the room with this URL.
  func open(_ text: String) async throws -> Channel {
    guard let url = URL(string: text), url.scheme != nil else {
      throw UsageError("'/open' needs the URL of a room.")
    }
    let share = try await container.accept(container.shareMetadata(for: url))
    guard let room = Channel(room: share.recordID.zoneID) else {
      throw UsageError("That is the URL of something else.")
    }
    return room
  }

  /// Subscribes to the changes in all rooms of the database that contains this room.
  func follow(room: CKRecordZone.ID) async throws {
    let database = home(of: room)
    let scope = database.databaseScope == .private ? "private" : "shared"
    let subscription = CKDatabaseSubscription(subscriptionID: Self.roomsPrefix + scope)
    let information = CKSubscription.NotificationInfo()
    information.shouldSendContentAvailable = true
    subscription.notificationInfo = information
    try await database.save(subscription)
  }

  /// The ID of every subscription to rooms begins with this text.
  static let roomsPrefix = "rooms."
}
