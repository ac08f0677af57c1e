import StratusDomain
import StratusWire

/// One of the databases of a data set.
enum DatabaseChoice: Int, Sendable, Hashable, CaseIterable {
  case publicDatabase, first, second

  var scope: DatabaseScope { self == .publicDatabase ? .public : .private }
}

/// A step of a data set.
enum Step: Sendable {
  /// One request saves and deletes records in one zone.
  case modify(DatabaseChoice, user: Int, zone: String, [Edit])
  case makeZone(DatabaseChoice, String)
  case deleteZone(DatabaseChoice, String)
  /// The server's clock advances by this number of milliseconds.
  case wait(Int64)
  case allowExtensions(Bool)
  /// A field gets an index mark, as it does when a schema is imported.
  case mark(recordType: String, SchemaAddition.Marking.Key, FieldIndexes)
  case reopen
  case ask(QueryCase)
}

/// A record that is saved or deleted.
struct Edit: Sendable {
  enum Kind: Sendable {
    /// - Parameters:
    ///   - replaces: whether the save removes the fields that it does not contain.
    ///   - fields: the values to save. A nil value clears the field.
    ///   - parent: the number of the zone's root record that becomes the parent, or nil for no
    ///     change.
    case save(
      recordType: String, replaces: Bool, fields: [String: FieldValue?], parent: Int?)
    case delete
  }

  var recordName: String
  var kind: Kind
}

/// A query with its page sizes, and the steps between its pages.
struct QueryCase: Sendable {
  var number: Int
  var database: DatabaseChoice
  var query: AskedQuery
  /// The zone in the request, or nil if the request contains no zone.
  var zone: String?
  var isZoneWide: Bool?
  var resultsLimit: Int?
  /// Whether the request contains the limit as a string. Some clients do this.
  var limitIsText = false
  var desiredKeys: [String]?
  var countsToo = false
  var marker = MarkerUse.asGiven
  /// Whether the page size differs from page to page.
  var changesLimit = false
  /// The steps after the first page, after the second page, and so on.
  var between: [[Step]] = []

  /// The wrong use of the first page's marker that the test also tries, if any.
  enum MarkerUse: Sendable {
    case asGiven
    /// The test also sends the marker with another query.
    case ofAnotherQuery
    /// The test also sends a part of the marker.
    case cut
    /// The test also sends arbitrary texts instead of the marker.
    case garbage
  }

  /// The requested number of records on a page, or nil for the server's default.
  func limit(ofPage page: Int) -> Int? {
    guard changesLimit, let resultsLimit else { return resultsLimit }
    return resultsLimit + page % 3
  }

  /// The JSON text of the request.
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
