import StratusWire

/// Matches changes with subscriptions, on one state of a store.
struct ChangeMatcher {
  let store: any StoreReading
  let address: StoreAddress
  let schema: Schema
  /// The number of subscriptions that may still be examined.
  private(set) var budget: Int
  let now: Int64
  private(set) var matches: [MatchStep.Match] = []
  private var watches: [DatabaseKey: Watch] = [:]
  /// The requests that each database subscription has already reported. A subscription reports a
  /// request once, however many zones the request changed.
  private var notified: Set<Notice> = []

  private struct Notice: Hashable {
    let subscription: Int64
    let notificationID: String
  }

  /// The decoded definitions of examined subscriptions. They are kept, because the records of a
  /// change often concern the same subscriptions.
  private var known: [Int64: Definition] = [:]

  /// The subscriptions to whole databases that may concern a zone, by the number of the zone. They
  /// are kept here, because the subscriptions of many participants are in many databases, and
  /// reading them again takes long. Zones with more than one page of them are left out.
  private var ofDatabases: [Int64: [StoredSubscription]] = [:]

  private struct Definition {
    let subscription: Subscription
    /// The query, or nil if this is no query subscription or if the query is no longer legal.
    let query: SubscriptionQuery?
  }

  /// The number of subscriptions read at once.
  private static let pageMax = 100

  init(
    store: any StoreReading, address: StoreAddress, schema: Schema, budget: Int, now: Int64
  ) {
    self.store = store
    self.address = address
    self.schema = schema
    self.budget = budget
    self.now = now
  }

  /// Continues to match an entry, beginning at the entry's cursor.
  ///
  /// - Returns: the position where the next step continues, or nil if the entry is finished.
  mutating func match(_ entry: OutboxEntry) throws(ServerError) -> OutboxCursor? {
    if case .participationChanged(let user) = entry.event {
      try tell(user, of: entry)
      return nil
    }
    for position in (entry.cursor?.position ?? -1)..<entry.imageCount {
      let start = position == entry.cursor?.position ? entry.cursor : nil
      if budget <= 0 {
        return start ?? OutboxCursor(position: position, key: .none, subscription: 0)
      }
      let part = try part(of: entry, at: position)
      if let stop = try walk(part, of: entry, from: start) { return stop }
      // NB: each record uses up budget, even if no subscription can match it. The record is counted
      // after the match, so that every step makes progress.
      if position >= 0 { budget -= 1 }
    }
    return nil
  }

  /// Notifies the user's own devices of a share that the user has joined or left. A user who has
  /// left may have no role in the zone any more.
  private mutating func tell(_ user: String, of entry: OutboxEntry) throws(ServerError) {
    let found = try store.subscriptions(
      of: user, in: .shared(user: user), limit: Limits.subscriptionsPerUserMax)
    budget -= max(1, found.count)
    for subscription in found where subscription.since < entry.number {
      guard let definition = definition(of: subscription) else { continue }
      note(.area, of: subscription, definition.subscription, entry)
    }
  }

  /// Matches one part of a partly matched entry (the record at the cursor's position, or the zone)
  /// with a subscription that has just replaced another one. In the order in which subscriptions
  /// are examined, the cursor may have passed the new subscription, but not the replaced one.
  /// Without this match, neither of them would report the change.
  ///
  /// Choice: only the replacement is examined. If matching went back, all other subscriptions would
  /// report the change twice.
  mutating func makeUp(
    for replaced: StoredSubscription, with new: StoredSubscription, of entry: OutboxEntry
  ) throws(ServerError) {
    guard let cursor = entry.cursor, new.since < entry.number, cursor.isBehind(new),
      !cursor.isBehind(replaced)
    else { return }
    let part = try part(of: entry, at: new.key.isOfRecords ? cursor.position : -1)
    if part.keys.contains(new.key) { try judge(new, part, entry) }
  }

  /// The part of an entry that is matched at once: the zone, or one record.
  private struct Part {
    let position: Int
    /// The keys of the subscriptions that may match the part, sorted.
    let keys: [SubscriptionKey]
    /// The record with its states before and after the change. It is nil if this part of the entry
    /// concerns the zone itself.
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

  /// Examines the subscriptions that may match a part of an entry, in the order of their keys.
  ///
  /// - Returns: the position where the next step continues, or nil if all subscriptions were
  ///   examined.
  private mutating func walk(
    _ part: Part, of entry: OutboxEntry, from start: OutboxCursor?
  ) throws(ServerError) -> OutboxCursor? {
    for key in part.keys {
      var last: Int64 = 0
      if let start {
        if key.precedes(start.key) { continue }
        if key == start.key { last = start.subscription }
      }
      while true {
        if budget <= 0 {
          return OutboxCursor(position: part.position, key: key, subscription: last)
        }
        let limit = min(budget, Self.pageMax)
        let page = try subscriptions(under: key, of: entry, after: last, limit: limit)
        // A lookup that finds nothing counts as work, too.
        budget -= max(1, page.count)
        for found in page {
          last = found.number
          if found.since < entry.number { try judge(found, part, entry) }
          // NB: `judge` also subtracts the shares of the subscriber's participation from the
          // budget. So the budget can become negative within a page.
          if budget < -Self.pageMax { break }
        }
        if page.count < limit, last == page.last?.number ?? last { break }
      }
    }
    return nil
  }

  /// Reads the next subscriptions with a key.
  private mutating func subscriptions(
    under key: SubscriptionKey, of entry: OutboxEntry, after last: Int64, limit: Int
  ) throws(ServerError) -> [StoredSubscription] {
    if key == .database {
      if let all = ofDatabases[entry.zone] {
        return Array(all.drop { $0.number <= last }.prefix(limit))
      }
      if last == 0 {
        let first = try store.subscriptions(
          under: key, toZone: entry.zone, in: entry.database, after: 0, limit: Self.pageMax)
        if first.count < Self.pageMax { ofDatabases[entry.zone] = first }
        return Array(first.prefix(limit))
      }
    }
    return try store.subscriptions(
      under: key, toZone: entry.zone, in: entry.database, after: last, limit: limit)
  }

  /// Adds a notification if a subscription applies to a part of an entry.
  private mutating func judge(
    _ found: StoredSubscription, _ part: Part, _ entry: OutboxEntry
  ) throws(ServerError) {
    guard let definition = definition(of: found),
      let role = try role(of: found.user, in: entry),
      let finding = finding(definition, part, entry, as: role),
      mayRead(found.user, as: role, part, entry)
    else { return }
    note(finding, of: found, definition.subscription, entry)
  }

  /// Returns the role of a subscriber in the zone of a change, or nil if the subscriber has none.
  private mutating func role(
    of user: String, in entry: OutboxEntry
  ) throws(ServerError) -> ZoneRole? {
    let view = DatabaseView(entry.database, of: user)
    let participation: Participation? =
      if case .shared = view {
        try store.participation(of: user, inZone: entry.zone)
      } else {
        nil
      }
    budget -= participation?.shares.count ?? 0
    return AccessPolicy(view: view, user: user)
      .role(in: entry.database, participation: participation)
  }

  /// Whether a subscriber may read the changed record of a part.
  private func mayRead(
    _ user: String, as role: ZoneRole, _ part: Part, _ entry: OutboxEntry
  ) -> Bool {
    guard let record = part.record?.image.newest else { return true }
    let policy = AccessPolicy(view: DatabaseView(entry.database, of: user), user: user)
    return policy.allows(
      .read, createdBy: record.created.userRecordName, type: record.type, schema: schema,
      as: role)
  }

  private func finding(
    _ definition: Definition, _ part: Part, _ entry: OutboxEntry, as role: ZoneRole
  ) -> Finding? {
    guard let (image, states) = part.record else {
      return Self.isConcerned(definition.subscription, by: entry.event, as: role)
        ? .area : nil
    }
    guard
      let reason = definition.query?.reason(
        before: states.before, after: states.after, inZone: entry.zoneName),
      let record = image.newest
    else { return nil }
    return .record(
      NotificationDraft.Record(reason: reason, name: record.name, fields: record.fields))
  }

  /// Returns the decoded definition of a subscription, or nil if it cannot be read. NB: an
  /// unreadable definition must not block the other subscriptions.
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
        let notice = Notice(
          subscription: found.number, notificationID: entry.origin.notificationID)
        guard notified.insert(notice).inserted else { return }
        zoneID = nil
      }
    }
    let draft = NotificationDraft(
      containerIdentifier: address.container, notificationID: entry.origin.notificationID,
      user: found.user, subscription: subscription,
      scope: DatabaseView(entry.database, of: found.user).scope,
      zoneID: zoneID,
      record: record)
    // A payload that cannot be made must not block all other notifications.
    guard let payload = try? draft.payload() else { return }
    // NB: devices choose their own IDs, so another user's device may have the same ID.
    let isOwn = entry.origin.user == found.user
    matches.append(
      MatchStep.Match(
        subscription: found.number, isLast: subscription.firesOnce,
        notification: NewNotification(
          user: found.user, payload: payload, shouldBadge: draft.shouldBadge,
          originDeviceID: isOwn ? entry.origin.deviceID : nil,
          coalescingKey: draft.coalescingKey, createdAt: now)))
  }

  /// Whether a zone or database subscription reports an event.
  ///
  /// Choice: a subscription to a record type does not report new zones, since they have no records.
  /// It reports deleted zones, since they may have had records of the type.
  private static func isConcerned(
    _ subscription: Subscription, by event: WatchedChange.Event, as role: ZoneRole
  ) -> Bool {
    let types = event.recordTypes(visibleTo: role)
    if case .recordsChanged = event, types.isEmpty { return false }
    let recordType: String?
    switch subscription.subject {
    case .query: return false
    case .zone(_, let type), .database(let type): recordType = type
    }
    guard let recordType else { return true }
    switch event {
    case .recordsChanged: return types.contains(recordType)
    case .zoneMade: return false
    case .zoneDeleted, .participationChanged: return true
    }
  }

  private mutating func watch(of database: DatabaseKey) throws(ServerError) -> Watch {
    if let known = watches[database] { return known }
    let watch = try store.watch(of: database)
    watches[database] = watch
    return watch
  }
}

/// The states of a record before and after a change, with their values.
private struct ImageStates {
  let before: RecordValues?
  let after: RecordValues?

  /// NB: fields that cannot be read have no values, so that one record does not block all others.
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

extension OutboxCursor {
  /// Whether matching that has reached this position has already passed the subscription.
  fileprivate func isBehind(_ subscription: StoredSubscription) -> Bool {
    // Each record is matched separately. The zone is matched once, before all records.
    if !subscription.key.isOfRecords, position >= 0 { return true }
    if subscription.key.isOfRecords, position < 0 { return false }
    if subscription.key != key { return subscription.key.precedes(key) }
    return subscription.number <= self.subscription
  }
}
