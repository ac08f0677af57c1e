import StratusDomain
import StratusWire

/// A model of records, zones and subscriptions in memory. It compares each change with each
/// subscription, and computes the notifications that docs/internals/notifications.md requires.
struct NaiveWorld {
  static let scopes = [DatabaseScope.public, .private]
  static let types = ["Note", "Task"]

  private struct Home: Hashable {
    let scope: DatabaseScope
    let zone: String
  }

  private(set) var zones: Set<String> = []
  private(set) var subscriptions: [NaiveSubscription] = []
  private var records: [Home: [String: NaiveRecord]] = [:]
  private var expected: [String: [String]] = [:]

  func record(_ name: String, in zone: String, of scope: DatabaseScope) -> NaiveRecord? {
    records[Home(scope: scope, zone: zone)]?[name]
  }

  mutating func takeExpected(_ user: String) -> [String] {
    defer { expected[user] = nil }
    return expected[user] ?? []
  }

  mutating func save(_ subscription: NaiveSubscription) {
    delete(subscription)
    subscriptions.append(subscription)
  }

  mutating func delete(_ subscription: NaiveSubscription) {
    subscriptions.removeAll {
      $0.id == subscription.id && $0.scope == subscription.scope && $0.user == subscription.user
    }
  }

  mutating func makeZone(_ name: String) {
    zones.insert(name)
    for subscription in subscriptions {
      if case .database(nil) = subscription.subject { tell(subscription, "database") }
    }
  }

  mutating func deleteZone(_ name: String) {
    zones.remove(name)
    records[Home(scope: .private, zone: name)] = nil
    subscriptions.removeAll { if case .zone(name, _) = $0.subject { true } else { false } }
    for subscription in subscriptions {
      if case .database = subscription.subject { tell(subscription, "database") }
    }
  }

  mutating func change(
    _ saved: [NaiveRecord], deleting deleted: [String], in zone: String, of scope: DatabaseScope
  ) {
    let home = Home(scope: scope, zone: zone)
    var states: [(before: NaiveRecord?, after: NaiveRecord?)] = []
    for record in saved { states.append((records[home]?[record.name], record)) }
    for name in deleted { states.append((records[home]?[name], nil)) }
    states.removeAll { $0.before == nil && $0.after == nil }
    for (before, after) in states {
      if let name = (after ?? before)?.name { records[home, default: [:]][name] = after }
    }
    var gone: [NaiveSubscription] = []
    for subscription in subscriptions where subscription.scope == scope {
      let touched = states.compactMap { ($0.after ?? $0.before)?.type }
      switch subscription.subject {
      case .zone(let name, let type):
        if name == zone, concerns(type, touched) { tell(subscription, "zone \(zone)") }
      case .database(let type):
        if zone != "_defaultZone", concerns(type, touched) { tell(subscription, "database") }
      case .query(let query):
        if let only = query.zone, only != zone { continue }
        for (before, after) in states {
          guard let word = query.word(before, after) else { continue }
          tell(subscription, word)
          if query.once {
            gone.append(subscription)
            break
          }
        }
      }
    }
    for subscription in gone { delete(subscription) }
  }

  private func concerns(_ type: String?, _ touched: [String]) -> Bool {
    if let type { touched.contains(type) } else { !touched.isEmpty }
  }

  private mutating func tell(_ subscription: NaiveSubscription, _ word: String) {
    expected[subscription.user, default: []].append("\(subscription.id): \(word)")
  }
}

struct NaiveRecord: Equatable {
  let name: String
  let type: String
  let color: String?
  let count: Int?
  let tags: [String]

  /// The JSON text of the operation that saves the record.
  var operation: String {
    var fields: [String] = []
    if let color { fields.append(field("color", "\"\(color)\"")) }
    if let count { fields.append(field("count", "\(count)")) }
    if !tags.isEmpty {
      let texts = tags.map { "\"\($0)\"" }.joined(separator: ",")
      fields.append(field("tags", "[\(texts)]"))
    }
    return Scene.save(name, fields.joined(separator: ","), type: type)
  }
}

struct NaiveSubscription {
  enum Subject {
    case zone(String, String?)
    case database(String?)
    case query(NaiveQuery)
  }

  let id: String
  let user: String
  let scope: DatabaseScope
  let subject: Subject

  func wire() throws -> Subscription {
    switch subject {
    case .zone(let zone, let type): .zone(id, zone, type: type)
    case .database(let type): .database(id, type: type)
    case .query(let query):
      try .query(
        id, query.tests.map(\.filter).joined(separator: ","), on: query.firesOn,
        once: query.once, zone: query.zone, type: query.type)
    }
  }
}

struct NaiveQuery {
  let type: String
  let tests: [NaiveTest]
  let firesOn: FiresOn
  let once: Bool
  let zone: String?

  func word(_ before: NaiveRecord?, _ after: NaiveRecord?) -> String? {
    let wasIn = before.map(matches) ?? false
    let isIn = after.map(matches) ?? false
    if before == nil, let after, isIn, firesOn.contains(.create) {
      return "created \(after.name)"
    }
    if before != nil, let after, wasIn || isIn, firesOn.contains(.update) {
      return "updated \(after.name)"
    }
    if let before, after == nil, wasIn, firesOn.contains(.delete) {
      return "deleted \(before.name)"
    }
    return nil
  }

  private func matches(_ record: NaiveRecord) -> Bool {
    record.type == type && tests.allSatisfy { $0.holds(record) }
  }
}

/// A filter, with its form in a request and its result for a record. A negated filter accepts a
/// record without the value.
enum NaiveTest {
  case colorIs(String), colorIsNot(String), colorIsIn([String]), colorBegins(String)
  case countIs(Int), countIsMore(Int), countIsNot(Int)
  case hasTag(String), hasNotTag(String)
  case isNamed(String)

  func holds(_ record: NaiveRecord) -> Bool {
    switch self {
    case .colorIs(let color): record.color == color
    case .colorIsNot(let color): record.color != color
    case .colorIsIn(let colors): record.color.map(colors.contains) ?? false
    case .colorBegins(let text): record.color?.hasPrefix(text) ?? false
    case .countIs(let count): record.count == count
    case .countIsMore(let count): record.count.map { $0 > count } ?? false
    case .countIsNot(let count): record.count != count
    case .hasTag(let tag): record.tags.contains(tag)
    case .hasNotTag(let tag): !record.tags.contains(tag)
    case .isNamed(let name): record.name == name
    }
  }

  var filter: String {
    switch self {
    case .colorIs(let color): StratusSubscriptionTests.filter("EQUALS", "color", "\"\(color)\"")
    case .colorIsNot(let color):
      StratusSubscriptionTests.filter("NOT_EQUALS", "color", "\"\(color)\"")
    case .colorIsIn(let colors):
      StratusSubscriptionTests.filter(
        "IN", "color", "[" + colors.map { "\"\($0)\"" }.joined(separator: ",") + "]")
    case .colorBegins(let text):
      StratusSubscriptionTests.filter("BEGINS_WITH", "color", "\"\(text)\"")
    case .countIs(let count): StratusSubscriptionTests.filter("EQUALS", "count", "\(count)")
    case .countIsMore(let count):
      StratusSubscriptionTests.filter("GREATER_THAN", "count", "\(count)")
    case .countIsNot(let count): StratusSubscriptionTests.filter("NOT_EQUALS", "count", "\(count)")
    case .hasTag(let tag): StratusSubscriptionTests.filter("LIST_CONTAINS", "tags", "\"\(tag)\"")
    case .hasNotTag(let tag):
      StratusSubscriptionTests.filter("NOT_LIST_CONTAINS", "tags", "\"\(tag)\"")
    case .isNamed(let name):
      StratusSubscriptionTests.filter("EQUALS", "___recordID", "\"\(name)\"")
    }
  }
}
