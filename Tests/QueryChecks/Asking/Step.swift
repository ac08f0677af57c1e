import StratusDomain
import StratusWire

/// One of the databases of a world.
enum DatabaseChoice: Int, Sendable, Hashable, CaseIterable {
  case publicDatabase, first, second

  var scope: DatabaseScope { self == .publicDatabase ? .public : .private }
}

/// An event in a world.
enum Step: Sendable {
  /// Saves and deletions in one zone, in one request.
  case modify(DatabaseChoice, user: Int, zone: String, [Edit])
  case makeZone(DatabaseChoice, String)
  case deleteZone(DatabaseChoice, String)
  /// The clock advances by this many milliseconds.
  case wait(Int64)
  case allowExtensions(Bool)
  /// An index mark is added to a field, as by a schema import.
  case mark(recordType: String, SchemaAddition.Marking.Key, FieldIndexes)
  case reopen
  case ask(QueryCase)
}

/// A record that is saved or deleted.
struct Edit: Sendable {
  enum Kind: Sendable {
    /// - Parameters:
    ///   - replaces: whether the fields that are not named are removed.
    ///   - fields: nil clears a field.
    ///   - parent: the number of one of the zone's root records; nil: the parent stays.
    case save(
      recordType: String, replaces: Bool, fields: [String: FieldValue?], parent: Int?)
    case delete
  }

  var recordName: String
  var kind: Kind
}

/// A query, how it is paged, and the events between its pages.
struct QueryCase: Sendable {
  var number: Int
  var database: DatabaseChoice
  var query: AskedQuery
  /// nil: the request names no zone.
  var zone: String?
  var isZoneWide: Bool?
  var resultsLimit: Int?
  /// Whether the limit is sent as a string, as some clients do.
  var limitIsText = false
  var desiredKeys: [String]?
  var countsToo = false
  var marker = MarkerUse.asGiven
  /// Whether each page requests another number of records.
  var changesLimit = false
  /// The events after the first page, after the second page, and so on.
  var between: [[Step]] = []

  /// How the test misuses the marker of the first page.
  enum MarkerUse: Sendable {
    case asGiven
    /// The marker is also sent with another query.
    case ofAnotherQuery
    /// The marker is also sent truncated.
    case cut
    /// An arbitrary text is also sent instead of the marker.
    case garbage
  }

  /// The requested number of records on a page; nil: the server's default.
  func limit(ofPage page: Int) -> Int? {
    guard changesLimit, let resultsLimit else { return resultsLimit }
    return resultsLimit + page % 3
  }

  /// The request's text.
  func text(marker: String? = nil, page: Int = 0, countsOnly: Bool = false) -> String {
    let resultsLimit = limit(ofPage: page)
    var members = [Literal.Member(key: "query", value: query.literal)]
    func add(_ key: String, _ value: Literal?) {
      guard let value else { return }
      members.append(Literal.Member(key: key, value: value))
    }
    add("zoneID", zone.map { .object(["zoneName": .string($0)]) })
    add("zoneWide", isZoneWide.map { .bool($0) })
    add("resultsLimit", resultsLimit.map { limitIsText ? .string("\($0)") : .int(Int64($0)) })
    add("desiredKeys", desiredKeys.map { .array($0.map { .string($0) }) })
    if countsOnly { add("countOnly", .bool(true)) }
    add("continuationMarker", marker.map { .string($0) })
    return Literal.members(members).text
  }
}
