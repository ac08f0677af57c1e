import CloudKit

/// A name under which people meet.
struct Channel: Hashable, Sendable {
  static let recordType = "Channel"

  let name: String

  /// - Throws: `UsageError` for what is no name.
  init(_ text: String) throws {
    name = (text.hasPrefix("#") ? String(text.dropFirst()) : text).lowercased()
    let isPlain = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    guard isPlain, (1...30).contains(name.count) else {
      throw UsageError("A channel's name has up to 30 letters of a to z, digits and hyphens.")
    }
  }

  /// With its sign, as people write it.
  var title: String { "#\(name)" }

  /// Named after the channel, so that there cannot be two.
  var recordID: CKRecord.ID { CKRecord.ID(recordName: "channel.\(name)") }

  var reference: CKRecord.Reference { CKRecord.Reference(recordID: recordID, action: .none) }

  /// What makes the channel on the server.
  var record: CKRecord {
    let record = CKRecord(recordType: Self.recordType, recordID: recordID)
    record["name"] = name
    return record
  }
}

/// What the server tells of a channel by itself.
enum Topic: Equatable {
  case messages(Channel)
  case people(Channel)

  /// The subscription's name.
  var subscriptionID: CKSubscription.ID {
    switch self {
    case .messages(let channel): "messages.\(channel.name)"
    case .people(let channel): "people.\(channel.name)"
    }
  }

  /// What a notification is about; nil: nothing of ours.
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
      // A phone shows who says what; the fields travel along for whoever looks elsewhere.
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
