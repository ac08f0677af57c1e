/// A subscription, which notifies a user of changes in a database.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, subscription dictionary.
public struct Subscription: Sendable, Hashable {
  /// The zones or records that a subscription watches.
  public enum Subject: Sendable, Hashable {
    case query(WatchedQuery)
    /// All records of one custom zone.
    ///
    /// - Parameter recordType: the type of the watched records. nil means all types.
    case zone(ZoneID, recordType: String?)
    /// All records of all custom zones.
    case database(recordType: String?)
  }

  /// The ID, which is unique among a user's subscriptions of one database. nil means that the
  /// server chooses an ID.
  public var id: String?
  public var subject: Subject
  /// The contents of the notifications. nil means that the user sees nothing, as if only
  /// `shouldSendContentAvailable` were set.
  public var notificationInfo: NotificationInfo?

  public init(id: String?, _ subject: Subject, notificationInfo: NotificationInfo? = nil) {
    self.id = id
    self.subject = subject
    self.notificationInfo = notificationInfo
  }
}

/// The records and the events that a query subscription watches.
public struct WatchedQuery: Sendable, Hashable {
  /// The query. Its sorts are ignored.
  public var query: Query
  /// The zone whose records are watched. nil means all zones of the database.
  public var zoneID: ZoneID?
  public var firesOn: FiresOn
  /// Whether the subscription is deleted after its first notification.
  public var firesOnce: Bool

  public init(query: Query, zoneID: ZoneID? = nil, firesOn: FiresOn, firesOnce: Bool = false) {
    self.query = query
    self.zoneID = zoneID
    self.firesOn = firesOn
    self.firesOnce = firesOnce
  }
}

/// The record events that a subscription watches. The bits are those of
/// `CKQuerySubscription.Options`.
public struct FiresOn: OptionSet, Sendable, Hashable {
  public let rawValue: Int

  public init(rawValue: Int) { self.rawValue = rawValue }

  public static let create = FiresOn(rawValue: 1)
  public static let update = FiresOn(rawValue: 2)
  public static let delete = FiresOn(rawValue: 4)

  fileprivate static let words: [(FiresOn, String)] = [
    (.create, "create"), (.update, "update"), (.delete, "delete"),
  ]
}

/// The result for one subscription of a request.
public enum SubscriptionItem: Sendable {
  case subscription(Subscription)
  case deleted(id: String)
  case failure(id: String, ErrorDictionary)
}

extension Subscription: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("subscriptionID", id)
      switch subject {
      case .query(let watched):
        writer.member("subscriptionType", "query")
        writer.member("query", watched.query)
        writer.member("zoneID", watched.zoneID)
        writer.member("zoneWide", watched.zoneID == nil)
        writer.member("firesOn", strings: watched.firesOn.texts)
        writer.member("firesOnce", watched.firesOnce)
      case .zone(let zoneID, let recordType):
        writer.member("subscriptionType", "zone")
        writer.member("zoneID", zoneID)
        writer.member("recordType", recordType)
      case .database(let recordType):
        writer.member("subscriptionType", "database")
        writer.member("recordType", recordType)
      }
      writer.member("notificationInfo", notificationInfo)
    }
  }

  /// Reads a subscription. Zone and database subscriptions may have a `recordType`. The classes of
  /// the CloudKit framework have it, but Apple's web page does not.
  public init(json: JSONView) throws(WireError) {
    try json.requireObject("subscription")
    id = try json.optionalString("subscriptionID")
    notificationInfo = try json.optional("notificationInfo")
    let type = try json.requiredString("subscriptionType")
    switch type {
    case "query": subject = .query(try WatchedQuery(json: json))
    case "zone":
      guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
      subject = .zone(
        try ZoneID(json: zoneID), recordType: try json.optionalString("recordType"))
    case "database": subject = .database(recordType: try json.optionalString("recordType"))
    case _:
      throw WireError(
        "Unknown subscriptionType '\(type)'; there are query, zone and database")
    }
  }
}

extension WatchedQuery: JSONReadable {
  public init(json: JSONView) throws(WireError) {
    guard let query = json["query"] else { throw .missing("query") }
    self.query = try Query(json: query)
    zoneID = try json.optional("zoneID")
    firesOnce = try json.optionalBool("firesOnce") ?? false
    firesOn = []
    for text in try json.strings("firesOn") ?? [] {
      guard let known = FiresOn.words.first(where: { $0.1 == text }) else {
        throw WireError("Unknown firesOn '\(text)'; there are create, update and delete")
      }
      firesOn.insert(known.0)
    }
  }
}

extension FiresOn {
  var texts: [String] { Self.words.filter { contains($0.0) }.map(\.1) }
}

extension SubscriptionItem: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .subscription(let subscription): subscription.write(to: &writer)
    case .deleted(let id):
      writer.object { writer in
        writer.member("subscriptionID", id)
        writer.member("deleted", true)
      }
    case .failure(let id, let error):
      writer.object { writer in
        writer.member("subscriptionID", id)
        error.writeMembers(to: &writer)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    if json["serverErrorCode"] != nil {
      self = .failure(
        id: try json.optionalString("subscriptionID") ?? "", try ErrorDictionary(json: json))
    } else if json["deleted"]?.bool == true {
      self = .deleted(id: try json.requiredString("subscriptionID"))
    } else {
      self = .subscription(try Subscription(json: json))
    }
  }
}
