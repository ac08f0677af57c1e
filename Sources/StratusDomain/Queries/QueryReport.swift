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
    var text = ""
    text.reserveCapacity(96)
    text += Self.name(query.recordType)
    if !query.filters.isEmpty { text += " where " }
    Self.add(query.filters, between: " and ", to: &text)
    var separator = " sort by "
    for sort in query.sorts where text.utf8.count <= Self.bytesMax {
      text += separator
      text += Self.name(sort.key.name)
      if !sort.isAscending { text += " descending" }
      separator = ", "
    }
    return text.utf8.count <= Self.bytesMax ? text : text.prefix(Self.bytesMax / 4) + "…"
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
  private static func add(
    _ filters: [QueryFilter], between separator: String, to text: inout String
  ) {
    var isFirst = true
    for filter in filters where text.utf8.count <= bytesMax {
      if !isFirst { text += separator }
      isFirst = false
      switch filter {
      case .field(let filter):
        text += filter.key.map { name($0.name) } ?? "(any)"
        text += " "
        text += filter.comparator.rawValue
      case .anyOf(let groups):
        text += "("
        var isFirstGroup = true
        for group in groups where text.utf8.count <= bytesMax {
          if !isFirstGroup { text += " or " }
          isFirstGroup = false
          add(group, between: separator, to: &text)
        }
        text += ")"
      }
    }
  }

  /// Returns a name of the schema, or `?` for a text that cannot be one.
  ///
  /// NB: a refused query may contain any text as a name.
  private static func name(_ text: String) -> String {
    let isField = Naming.isIdentifier(text) && text.utf8.count <= Limits.fieldNameLengthMax
    return isField || SystemField(rawValue: text) != nil ? text : "?"
  }
}
