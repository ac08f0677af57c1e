import CloudKit

/// The records of the chat on the server. The records of public channels are in the public
/// database. The records of a private room are in a zone of the room's owner.
struct Chat: Sendable {
  /// The number of earlier messages that a channel shows when the user enters it.
  static let historyCount = 50

  let container: CKContainer
  let database: CKDatabase
  /// The user's name in the chat.
  let name: String

  init(container: CKContainer = .default(), name: String) {
    self.container = container
    database = container.publicCloudDatabase
    self.name = name
  }

  /// - Throws: `CKError` if no user is signed in, or if the server cannot be reached.
  func requireAccount() async throws {
    switch try await container.accountStatus() {
    case .available: break
    case .noAccount: throw CKError(.notAuthenticated)
    case .restricted: throw CKError(.managedAccountRestricted)
    case .temporarilyUnavailable: throw CKError(.accountTemporarilyUnavailable)
    case .couldNotDetermine: throw CKError(.networkFailure)
    @unknown default: throw CKError(.networkFailure)
    }
  }

  // Channels.

  /// Returns all channels, sorted by name.
  func channels() async throws -> [Channel] {
    let query = CKQuery(recordType: Channel.recordType, predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try await all(query, keys: ["name"]).compactMap { record in
      try? Channel(record["name"] as? String ?? "")
    }
  }

  func exists(_ channel: Channel) async throws -> Bool {
    if channel.room != nil { return try await rooms().contains(channel) }
    do {
      _ = try await database.record(for: channel.recordID)
      return true
    } catch let error as CKError where error.code == .unknownItem {
      return false
    }
  }

  /// Creates a channel with a first message.
  ///
  /// - Throws: `UsageError` if the channel exists already.
  func make(_ channel: Channel) async throws {
    let opening = Message(opening: channel, by: name).record
    do {
      let results = try await database.modifyRecords(
        saving: [channel.record, opening], deleting: [], atomically: false)
      for result in results.saveResults.values { _ = try result.get() }
    } catch let error as CKError
      where [.serverRecordChanged, .permissionFailure].contains(error.code)
    {
      // If this user created the channel earlier, the error is a conflict. If another user created
      // it, the error is a refused permission.
      guard try await exists(channel) else { throw error }
      throw UsageError(
        "There is a channel \(channel.title) already: go there by '/join \(channel.name)'.")
    }
  }

  /// Subscribes to the messages and members of a channel. The server also queues notifications
  /// while the program does not run.
  func follow(_ channel: Channel) async throws {
    if let room = channel.room { return try await follow(room: room) }
    let results = try await database.modifySubscriptions(
      saving: [Topic.messages(channel).subscription, Topic.people(channel).subscription],
      deleting: [])
    for result in results.saveResults.values { _ = try result.get() }
  }

  /// Deletes the subscriptions that ``follow(_:)`` has saved for a public channel. Does nothing for
  /// a private room.
  func unfollow(_ channel: Channel) async throws {
    // A private room has no subscription of its own: one subscription is for all rooms of a
    // database.
    if channel.room != nil { return }
    let results = try await database.modifySubscriptions(
      saving: [],
      deleting: [Topic.messages(channel).subscriptionID, Topic.people(channel).subscriptionID])
    for case .failure(let error as CKError) in results.deleteResults.values
    where error.code != .unknownItem {
      throw error
    }
  }

  // Messages.

  /// Returns the messages that are newer than the known messages, oldest first. If no message is
  /// known, returns only the latest messages of the channel, at most ``historyCount``.
  func messages(
    in channel: Channel, beyond known: Set<CKRecord.ID>
  ) async throws -> [Message] {
    let query = CKQuery(
      recordType: Message.recordType,
      predicate: channel.room == nil
        ? NSPredicate(format: "channel == %@", channel.reference) : NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "creationDate", ascending: false)]
    let database = home(of: channel.room)
    var unknown: [Message] = []
    var (matches, cursor) = try await database.records(
      matching: query, inZoneWith: channel.room, desiredKeys: Message.listKeys,
      resultsLimit: Self.historyCount)
    while true {
      let page = try matches.map { Message(record: try $0.1.get()) }
      let news = page.filter { !known.contains($0.id) }
      unknown += news
      let reachesKnown = known.isEmpty || news.count < page.count
      guard !reachesKnown, let next = cursor else { return unknown.reversed() }
      (matches, cursor) = try await database.records(
        continuingMatchFrom: next, desiredKeys: Message.listKeys)
    }
  }

  func send(_ message: Message) async throws {
    let database = home(of: message.id.zoneID)
    do {
      try await database.save(message.record)
    } catch let error as CKError where error.code == .serverResponseLost {
      // The message may have reached the server. In that case, the server refuses the second
      // save, so the message is stored exactly once.
      do {
        try await database.save(message.record)
      } catch let error as CKError where error.code == .serverRecordChanged {}
    }
  }

  /// Returns the file of a message. The framework deletes this file later, so the caller copies it.
  func file(of message: Message) async throws -> URL {
    let record = try await home(of: message.id.zoneID).record(for: message.id)
    guard let file = (record["file"] as? CKAsset)?.fileURL else {
      throw CKError(.assetNotAvailable)
    }
    return file
  }

  // Members.

  /// Renews the record that shows that the user is present.
  ///
  /// - Returns: the server's time, or `.distantPast` if the answer lacks it.
  func renew(_ presence: Presence) async throws -> Date {
    presence.record["renewed"] = Date()
    let database = home(of: presence.id.zoneID)
    let results = try await database.modifyRecords(
      saving: [presence.record], deleting: [], savePolicy: .allKeys, atomically: false)
    let saved = try results.saveResults[presence.id]?.get()
    return saved?.modificationDate ?? .distantPast
  }

  /// Removes the record that shows that the user is present. If this takes too long or fails, the
  /// method returns, and the record expires later.
  func withdraw(_ presence: Presence) async {
    let configuration = CKOperation.Configuration()
    configuration.timeoutIntervalForResource = 2
    let database = home(of: presence.id.zoneID)
    _ = try? await database.configuredWith(configuration: configuration) { database in
      try await database.deleteRecord(withID: presence.id)
    }
  }

  /// Returns the names of a channel's members, sorted. Each name occurs only once.
  ///
  /// - Parameter now: the server's time.
  func people(in channel: Channel, now: Date) async throws -> [String] {
    let oldest = now.addingTimeInterval(-Presence.validSeconds) as NSDate
    let query = CKQuery(
      recordType: Presence.recordType,
      predicate: channel.room == nil
        ? NSPredicate(
          format: "channel == %@ AND modificationDate > %@", channel.reference, oldest)
        : NSPredicate(format: "modificationDate > %@", oldest))
    let records = try await all(query, in: channel.room, keys: ["name"])
    return Set(records.map { Presence(record: $0).name }).sorted()
  }

  /// Removes the user's expired presence records in public channels, which earlier runs could not
  /// remove.
  func sweep(now: Date) async throws {
    let me = CKRecord.Reference(recordID: try await container.userRecordID(), action: .none)
    let query = CKQuery(
      recordType: Presence.recordType,
      predicate: NSPredicate(
        format: "creatorUserRecordID == %@ AND modificationDate < %@", me,
        now.addingTimeInterval(-Presence.validSeconds) as NSDate))
    let left = try await all(query, keys: []).prefix(400).map(\.recordID)
    guard !left.isEmpty else { return }
    _ = try await database.modifyRecords(saving: [], deleting: left, atomically: false)
  }

  private func all(
    _ query: CKQuery, in room: CKRecordZone.ID? = nil, keys: [CKRecord.FieldKey]
  ) async throws -> [CKRecord] {
    let database = home(of: room)
    var (matches, cursor) = try await database.records(
      matching: query, inZoneWith: room, desiredKeys: keys)
    while let next = cursor {
      let page = try await database.records(continuingMatchFrom: next, desiredKeys: keys)
      matches += page.matchResults
      cursor = page.queryCursor
    }
    return try matches.map { try $0.1.get() }
  }
}
