public import StratusWire

/// How a query was answered, for the request log and the log of slow queries.
///
/// NB: the texts are made only when they are read, because many servers log no queries.
public struct QueryReport: Sendable {
  let query: Query
  var plan: QueryPlan?
  var entriesRead = 0
  var recordsRead = 0

  /// The record type, the fields, the comparators and the sorts, without values. An example is
  /// `Note where title EQUALS and age LESS_THAN sort by age descending`. A long text is cut.
  public var form: String {
    FormText.compose { text in
      text.add(name: query.recordType)
      if !query.filters.isEmpty { text.add(" where ") }
      Self.add(query.filters, to: &text)
      for (index, sort) in query.sorts.enumerated() where !text.isCut {
        text.add(index == 0 ? " sort by " : ", ")
        text.add(name: sort.key.name)
        if !sort.isAscending { text.add(" descending") }
      }
    }
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
  private static func add(_ filters: [QueryFilter], to text: inout FormText) {
    for (index, filter) in filters.enumerated() where !text.isCut {
      if index > 0 { text.add(" and ") }
      switch filter {
      case .field(let filter):
        if let key = filter.key { text.add(name: key.name) } else { text.add("(any)") }
        text.add(" ")
        text.add(filter.comparator.rawValue)
      case .anyOf(let groups):
        text.add("(")
        for (index, group) in groups.enumerated() where !text.isCut {
          if index > 0 { text.add(" or ") }
          add(group, to: &text)
        }
        text.add(")")
      }
    }
  }
}

/// The form of a query while it is composed on the stack. Each query of a server that logs queries
/// makes one.
private struct FormText {
  /// The maximum number of bytes of a form.
  private static let bytesMax = 500

  private let space: UnsafeMutableBufferPointer<UInt8>
  private var count = 0
  /// Whether the form is too long. Further texts are not added.
  private(set) var isCut = false

  private init(_ space: UnsafeMutableBufferPointer<UInt8>) { self.space = space }

  /// Returns the form that a function composes.
  static func compose(_ body: (inout FormText) -> Void) -> String {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: bytesMax) { space in
      var text = FormText(space)
      body(&text)
      let length = text.isCut ? bytesMax / 4 : text.count
      let form = String(
        decoding: UnsafeBufferPointer(rebasing: space[..<length]), as: UTF8.self)
      return text.isCut ? form + "…" : form
    }
  }

  mutating func add(_ word: String) {
    var word = word
    word.withUTF8 { add($0) }
  }

  /// Adds a name of the schema, or `?` for a text that cannot be one.
  ///
  /// NB: a refused query may contain any text as a name. All names of the schema are ASCII, so a
  /// form can be cut at each byte.
  mutating func add(name: String) {
    var name = name
    let isAdded = name.withUTF8 { bytes in
      guard bytes.count <= Limits.fieldNameLengthMax, Naming.isIdentifier(bytes) else {
        return false
      }
      add(bytes)
      return true
    }
    if !isAdded { add(SystemField(rawValue: name) != nil ? name : "?") }
  }

  private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let target = space.baseAddress, let source = bytes.baseAddress else { return }
    let length = min(bytes.count, space.count - count)
    (target + count).initialize(from: source, count: length)
    count += length
    if length < bytes.count { isCut = true }
  }
}
