public import StratusWire

/// How a query was answered, for the request log and the log of slow queries.
///
/// NB: the texts are made only when they are read, because most queries are fast and not logged.
public struct QueryReport: Sendable {
  let query: Query
  var plan: QueryPlan?
  var entriesRead = 0
  var recordsRead = 0

  /// The maximum number of bytes of ``form``.
  private static let bytesMax = 500

  /// The record type, the fields, the comparators and the sorts, without values. An example is
  /// `Note where title EQUALS and age LESS_THAN sort by age descending`. A long text is cut.
  public var form: String {
    var text: [UInt8] = []
    text.reserveCapacity(128)
    Self.add(name: query.recordType, to: &text)
    if !query.filters.isEmpty { text += " where ".utf8 }
    Self.add(query.filters, to: &text)
    var isFirst = true
    for sort in query.sorts where text.count <= Self.bytesMax {
      text += (isFirst ? " sort by " : ", ").utf8
      isFirst = false
      Self.add(name: sort.key.name, to: &text)
      if !sort.isAscending { text += " descending".utf8 }
    }
    if text.count <= Self.bytesMax { return String(decoding: text, as: UTF8.self) }
    return String(decoding: text.prefix(Self.bytesMax / 4), as: UTF8.self) + "…"
  }

  /// The plan and the numbers of rows read. It is nil if the query has no plan, because it was
  /// refused before, or because no record can match it.
  public var explanation: QueryExplanation? {
    plan.map { plan in
      QueryExplanation(
        plan: plan.word, index: plan.columnsText, ranges: Int64(plan.stretches.count),
        remainingFilters: plan.candidate.remaining.map(\.text),
        entriesRead: Int64(entriesRead), recordsRead: Int64(recordsRead))
    }
  }

  /// Adds conditions to a text, until it is so long that it will be cut.
  private static func add(_ filters: [QueryFilter], to text: inout [UInt8]) {
    for (index, filter) in filters.enumerated() where text.count <= bytesMax {
      if index > 0 { text += " and ".utf8 }
      switch filter {
      case .field(let filter):
        if let key = filter.key { add(name: key.name, to: &text) } else { text += "(any)".utf8 }
        text.append(UInt8(ascii: " "))
        text += filter.comparator.rawValue.utf8
      case .anyOf(let groups):
        text.append(UInt8(ascii: "("))
        for (index, group) in groups.enumerated() where text.count <= bytesMax {
          if index > 0 { text += " or ".utf8 }
          add(group, to: &text)
        }
        text.append(UInt8(ascii: ")"))
      }
    }
  }

  /// Adds a name of the schema, or `?` for a text that cannot be one.
  ///
  /// NB: a refused query may contain any text as a name. All names of the schema are ASCII, so a
  /// form can be cut at each byte.
  private static func add(name: String, to text: inout [UInt8]) {
    let isField = Naming.isIdentifier(name) && name.utf8.count <= Limits.fieldNameLengthMax
    text += (isField || SystemField(rawValue: name) != nil ? name : "?").utf8
  }
}
