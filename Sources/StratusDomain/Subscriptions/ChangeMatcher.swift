import StratusWire

/// Matches changes with subscriptions, on one state of a store.
struct ChangeMatcher {
  let store: any StoreReading
  let address: StoreAddress
  let schema: Schema
  /// How many subscriptions may still be looked at.
  private(set) var room: Int
  let now: Int64
  private(set) var matches: [MatchStep.Match] = []
  private var watches: [DatabaseKey: Watch] = [:]
  /// Which requests database subscriptions have been told of: one is told once of a request,
  /// however many zones it changed.
  private var told: Set<Telling> = []

  private struct Telling: Hashable {
    let subscription: Int64
    let notificationID: String
  }

  /// What the subscriptions looked at say, since each record of a change meets the same again.
  private var known: [Int64: Definition] = [:]

  private struct Definition {
    let subscription: Subscription
    /// nil: no query subscription, or one that is not legal any more.
    let query: SubscriptionQuery?
  }

  /// Subscriptions read at once.
  private static let pageMax = 100

  init(
    store: any StoreReading, address: StoreAddress, schema: Schema, room: Int, now: Int64
  ) {
    self.store = store
    self.address = address
    self.schema = schema
    self.room = room
    self.now = now
  }

  /// Goes on with an entry where its place says.
  ///
  /// - Returns: where the next step goes on; nil: it is matched whole.
  mutating func match(_ entry: OutboxEntry) throws(ServerError) -> OutboxPlace? {
    for position in (entry.place?.position ?? -1)..<entry.imageCount {
      let start = position == entry.place?.position ? entry.place : nil
      if room <= 0 {
        return start ?? OutboxPlace(position: position, key: .none, subscription: 0)
      }
      let part = try part(of: entry, at: position)
      if let stop = try walk(part, of: entry, from: start) { return stop }
      // NB: a record is work, too, even if nobody is filed under what it has. Counted at its end,
      // so that every step gets somewhere.
      if position >= 0 { room -= 1 }
    }
    return nil
  }

  /// Tells a subscription what matching has passed already, if it has not passed the one replaced:
  /// else neither would hear of it.
  ///
  /// Choice: this one alone is looked at. Were matching to go back for it, all others would hear
  /// again.
  mutating func makeUp(
    for replaced: StoredSubscription, with new: StoredSubscription, of entry: OutboxEntry
  ) throws(ServerError) {
    guard let place = entry.place, new.since < entry.number, place.isBehind(new),
      !place.isBehind(replaced)
    else { return }
    let part = try part(of: entry, at: new.key.isOfRecords ? place.position : -1)
    if part.keys.contains(new.key) { judge(new, part, entry) }
  }

  /// What of an entry is looked at together: the zone, or one record.
  private struct Part {
    let position: Int
    /// What the subscriptions it may concern are filed under, in order.
    let keys: [SubscriptionKey]
    /// nil: the zone.
    var record: (image: RecordImage, states: ImageStates)?
  }

  private mutating func part(
    of entry: OutboxEntry, at position: Int
  ) throws(ServerError) -> Part {
    let watch = try watch(of: entry.database)
    if position < 0 { return Part(position: position, keys: watch.keys(of: entry)) }
    guard let image = try store.recordImage(at: position, of: entry.number) else {
      throw .fault("a record's image is missing in the outbox")
    }
    let states = ImageStates(image)
    return Part(
      position: position, keys: watch.keys(of: states.all), record: (image, states))
  }

  private enum Finding {
    case area
    case record(NotificationDraft.Record)
  }

  /// Looks at the subscriptions that a part may concern, key by key.
  ///
  /// - Returns: where the next step goes on; nil: all have been looked at.
  private mutating func walk(
    _ part: Part, of entry: OutboxEntry, from start: OutboxPlace?
  ) throws(ServerError) -> OutboxPlace? {
    for key in part.keys {
      var last: Int64 = 0
      if let start {
        if key.precedes(start.key) { continue }
        if key == start.key { last = start.subscription }
      }
      while true {
        if room <= 0 {
          return OutboxPlace(position: part.position, key: key, subscription: last)
        }
        let limit = min(room, Self.pageMax)
        let page = try store.subscriptions(
          under: key, toZone: entry.zone, in: entry.database, after: last, limit: limit)
        // A look that finds nothing is work, too.
        room -= max(1, page.count)
        for found in page {
          last = found.number
          if found.since < entry.number { judge(found, part, entry) }
        }
        if page.count < limit { break }
      }
    }
    return nil
  }

  /// Notes what a subscription has to tell of a part, if anything.
  private mutating func judge(
    _ found: StoredSubscription, _ part: Part, _ entry: OutboxEntry
  ) {
    guard let definition = definition(of: found),
      let finding = finding(definition, part, entry),
      mayRead(found.user, part, entry)
    else { return }
    note(finding, of: found, definition.subscription, entry)
  }

  /// Whether a subscriber may read what a part of an entry is about.
  private func mayRead(_ user: String, _ part: Part, _ entry: OutboxEntry) -> Bool {
    let policy = AccessPolicy(view: DatabaseView(entry.database, of: user), user: user)
    guard let role = policy.role(in: entry.database) else { return false }
    guard let record = part.record?.image.newest else { return true }
    return policy.allows(
      .read, createdBy: record.created.userRecordName, grants: schema.grants(of: record.type),
      as: role)
  }

  private func finding(
    _ definition: Definition, _ part: Part, _ entry: OutboxEntry
  ) -> Finding? {
    guard let (image, states) = part.record else {
      return Self.isConcerned(definition.subscription, by: entry.event) ? .area : nil
    }
    guard
      let reason = definition.query?.reason(
        before: states.before, after: states.after, inZone: entry.zoneName),
      let record = image.newest
    else { return nil }
    return .record(
      NotificationDraft.Record(reason: reason, name: record.name, fields: record.fields))
  }

  /// NB: a definition that cannot be read, nil, must not stop all others for ever.
  private mutating func definition(of found: StoredSubscription) -> Definition? {
    if let known = known[found.number] { return known }
    guard let subscription = try? found.subscription() else { return nil }
    var query: SubscriptionQuery?
    if case .query(let watched) = subscription.subject {
      query = try? SubscriptionQuery(
        watched, of: found.user, schema: schema, environment: address.environment)
    }
    let definition = Definition(subscription: subscription, query: query)
    known[found.number] = definition
    return definition
  }

  private mutating func note(
    _ finding: Finding, of found: StoredSubscription, _ subscription: Subscription,
    _ entry: OutboxEntry
  ) {
    var zoneID: ZoneID? = ZoneID(zoneName: entry.zoneName, ownerRecordName: nil)
    var record: NotificationDraft.Record?
    switch finding {
    case .record(let found): record = found
    case .area:
      if case .database = subscription.subject {
        let telling = Telling(
          subscription: found.number, notificationID: entry.origin.notificationID)
        guard told.insert(telling).inserted else { return }
        zoneID = nil
      }
    }
    let draft = NotificationDraft(
      containerIdentifier: address.container, notificationID: entry.origin.notificationID,
      user: found.user, subscription: subscription, scope: DatabaseView(of: entry.database).scope,
      zoneID: zoneID,
      record: record)
    // As above: what cannot be told of is passed over.
    guard let payload = try? draft.payload() else { return }
    // NB: devices name themselves, so another user's may have the same name.
    let isOwn = entry.origin.user == found.user
    matches.append(
      MatchStep.Match(
        subscription: found.number, isLast: subscription.firesOnce,
        notification: NewNotification(
          user: found.user, payload: payload, shouldBadge: draft.shouldBadge,
          originDeviceID: isOwn ? entry.origin.deviceID : nil,
          coalescingKey: draft.coalescingKey, createdAt: now)))
  }

  /// Whether a zone or database subscription has something to tell of an event.
  ///
  /// Choice: one that is about a record type is not told of new zones, which have no records, but
  /// of deleted ones, which may have had some of the type.
  private static func isConcerned(
    _ subscription: Subscription, by event: WatchedChange.Event
  ) -> Bool {
    let recordType: String?
    switch subscription.subject {
    case .query: return false
    case .zone(_, let type), .database(let type): recordType = type
    }
    guard let recordType else { return true }
    switch event {
    case .recordsChanged(_, let types): return types.contains(recordType)
    case .zoneMade: return false
    case .zoneDeleted: return true
    }
  }

  private mutating func watch(of database: DatabaseKey) throws(ServerError) -> Watch {
    if let known = watches[database] { return known }
    let watch = try store.watch(of: database)
    watches[database] = watch
    return watch
  }
}

/// The two states of a record, with their values.
private struct ImageStates {
  let before: RecordValues?
  let after: RecordValues?

  /// NB: fields that cannot be read have no values, so that one record does not stop all others.
  init(_ image: RecordImage) {
    before = image.before.map(Self.values)
    after = image.after.map(Self.values)
  }

  var all: [RecordValues] { [before, after].compactMap { $0 } }

  private static func values(_ record: StoredRecord) -> RecordValues {
    let fields = (try? record.fields.storedValues()) ?? []
    return RecordValues(
      record: record, fields: Dictionary(fields.map { ($0.key, $0.value) }) { $1 })
  }
}

extension Subscription {
  fileprivate var firesOnce: Bool {
    if case .query(let watched) = subject { watched.firesOnce } else { false }
  }
}

extension OutboxPlace {
  /// Whether a subscription has been looked at for what this place is in, or would have been.
  fileprivate func isBehind(_ subscription: StoredSubscription) -> Bool {
    // Each record is looked at for itself, the zone once and first.
    if !subscription.key.isOfRecords, position >= 0 { return true }
    if subscription.key.isOfRecords, position < 0 { return false }
    if subscription.key != key { return subscription.key.precedes(key) }
    return subscription.number <= self.subscription
  }
}
