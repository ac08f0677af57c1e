import CloudKit

/// A channel of the chat, identified by its name. A private room is a channel with a zone of its
/// own, which the room's owner shares with the invited people.
struct Channel: Hashable, Sendable {
  static let recordType = "Channel"

  let name: String
  /// The zone of a private room, or nil for a channel that everyone can enter.
  let room: CKRecordZone.ID?

  /// - Throws: `UsageError` if the text is not a valid name.
  init(_ text: String) throws {
    name = (text.hasPrefix("#") ? String(text.dropFirst()) : text).lowercased()
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard isPlain, (1...30).contains(name.count) else {
      throw UsageError("A channel's name has up to 30 letters of a to z, digits and hyphens.")
    }
    room = nil
  }

  private static let roomPrefix = "Room-"

  /// Returns nil if the zone is not a private room.
  init?(room zoneID: CKRecordZone.ID) {
    guard zoneID.zoneName.hasPrefix(Self.roomPrefix),
      let known = try? Channel(String(zoneID.zoneName.dropFirst(Self.roomPrefix.count)))
    else { return nil }
    name = known.name
    room = zoneID
  }

  /// The user's own private room with the name of this channel.
  var ownRoom: Channel? {
    Channel(room: CKRecordZone.ID(zoneName: Self.roomPrefix + name))
  }

  /// The name with a `#`, or for a private room with a `&`.
  var title: String { room == nil ? "#\(name)" : "&\(name)" }

  /// Creates a record that belongs to the channel.
  func newRecord(_ recordType: CKRecord.RecordType) -> CKRecord {
    if let room {
      return CKRecord(recordType: recordType, recordID: CKRecord.ID(zoneID: room))
    }
    let record = CKRecord(recordType: recordType)
    record["channel"] = reference
    return record
  }

  /// The record ID contains the channel's name, so that no two channels have the same name.
  var recordID: CKRecord.ID { CKRecord.ID(recordName: "channel.\(name)") }

  var reference: CKRecord.Reference { CKRecord.Reference(recordID: recordID, action: .none) }

  /// The record that creates the channel on the server.
  var record: CKRecord {
    let record = CKRecord(recordType: Self.recordType, recordID: recordID)
    record["name"] = name
    return record
  }
}

/// The subject of a subscription: the messages or the members of a channel.
enum Topic: Equatable {
  case messages(Channel)
  case people(Channel)

  /// The ID of the subscription.
  var subscriptionID: CKSubscription.ID {
    switch self {
    case .messages(let channel): "messages.\(channel.name)"
    case .people(let channel): "people.\(channel.name)"
    }
  }

  /// Reads the subject of a subscription from its ID. Returns nil if the subscription is not one of
  /// this app.
  init?(subscriptionID: CKSubscription.ID?) {
    let parts = subscriptionID?.split(separator: ".", maxSplits: 1) ?? []
    guard parts.count == 2, let channel = try? Channel(String(parts[1])) else { return nil }
    switch parts[0] {
    case "messages": self = .messages(channel)
    case "people": self = .people(channel)
    default: return nil
    }
  }

  var subscription: CKSubscription {
    let subscription: CKQuerySubscription
    let information = CKSubscription.NotificationInfo()
    switch self {
    case .messages(let channel):
      subscription = CKQuerySubscription(
        recordType: Message.recordType,
        predicate: NSPredicate(format: "channel == %@", channel.reference),
        subscriptionID: subscriptionID, options: [.firesOnRecordCreation])
      // A phone shows the author and the text in an alert. This program shows both for messages
      // in other channels.
      information.alertLocalizationKey = "%1$@: %2$@"
      information.alertLocalizationArgs = ["author", "text"]
      information.desiredKeys = ["author", "text"]
    case .people(let channel):
      subscription = CKQuerySubscription(
        recordType: Presence.recordType,
        predicate: NSPredicate(format: "channel == %@", channel.reference),
        subscriptionID: subscriptionID,
        options: [.firesOnRecordCreation, .firesOnRecordDeletion])
      information.shouldSendContentAvailable = true
    }
    subscription.notificationInfo = information
    return subscription
  }
}
