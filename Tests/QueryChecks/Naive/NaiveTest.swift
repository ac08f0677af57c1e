import StratusDomain
import StratusWire

/// The property of a record that a filter compares.
enum NaiveSource: Sendable, Hashable {
  case field(String)
  case system(SystemField)

  func value(in record: ModelRecord) -> FieldValue? {
    switch self {
    case .field(let name): record.fields[name]
    case .system(.recordName): .reference(Reference(recordName: record.name))
    case .system(.creationDate): .timestamp(Timestamp(record.creationDate))
    case .system(.modificationDate): .timestamp(Timestamp(record.modificationDate))
    case .system(.creator): .reference(Reference(recordName: record.creator))
    case .system(.modifier): .reference(Reference(recordName: record.modifier))
    case .system(.parent): record.parent.map { .reference(Reference(recordName: $0)) }
    case .system(.share): nil
    }
  }
}

/// A legal filter that can be evaluated on records.
indirect enum NaiveTest {
  /// If the field is missing, the test is false and its negation is true.
  case value(NaiveSource, isNegated: Bool, (FieldValue) -> Truth)
  case words([NaiveSource], wanted: Set<Set<ExactName>>, needsAll: Bool)
  case anyOf([[NaiveTest]])

  func holds(for record: ModelRecord) -> Truth {
    switch self {
    case .value(let source, let isNegated, let test):
      let truth = source.value(in: record).map(test) ?? .no
      return isNegated ? !truth : truth
    case .words(let sources, let wanted, let needsAll):
      if wanted.isEmpty { return .no }
      var found: Set<ExactName> = []
      for source in sources {
        switch source.value(in: record) {
        case .string(let text)?: found.formUnion(NaiveText.words(of: text))
        case .list(.string, let texts)?:
          for case .string(let text) in texts { found.formUnion(NaiveText.words(of: text)) }
        default: continue
        }
      }
      let isFound = { (word: Set<ExactName>) in word.isSubset(of: found) }
      return Truth(needsAll ? wanted.allSatisfy(isFound) : wanted.contains(where: isFound))
    case .anyOf(let groups): return groups.map { Self.all($0, hold: record) }.max() ?? .no
    }
  }

  /// Whether a record passes all tests of a group. Every record passes an empty group.
  static func all(_ tests: [NaiveTest], hold record: ModelRecord) -> Truth {
    var truth = Truth.yes
    for test in tests {
      truth = min(truth, test.holds(for: record))
      if truth == .no { break }
    }
    return truth
  }
}

extension NaiveOperand {
  /// Compares a single value with this operand: −1, 0 or 1, or nil if they cannot be compared.
  func compared(to value: FieldValue) -> Int? {
    switch (value, self) {
    case (.string(let text), .text(let operand)): NaiveText.compare(text, operand)
    case (.reference(let reference), .reference(let name)):
      NaiveText.compare(reference.recordName, name)
    case (.int64(let whole), .number(let operand)): operand.compared(to: whole)
    case (.timestamp(let time), .number(let operand)):
      operand.compared(to: time.milliseconds)
    case (.double(let real), .number(let operand)): operand.compared(to: real)
    default: nil
    }
  }

  func equals(_ value: FieldValue) -> Bool { compared(to: value) == 0 }
}

extension FieldValue {
  /// The elements of a list. A single value has no elements.
  var members: [FieldValue] {
    if case .list(_, let members) = self { members } else { [] }
  }
}

/// A legal sort descriptor.
enum NaiveSort {
  case value(NaiveSource, isAscending: Bool)
  case distance(NaiveSource, Place, isAscending: Bool)

  /// The order of two records.
  enum Order { case before, same, behind, open }

  func order(_ left: ModelRecord, _ right: ModelRecord) -> Order {
    switch self {
    case .value(let source, let isAscending):
      let order = Self.ascending(source.value(in: left), source.value(in: right))
      return isAscending ? order : order.reversed
    case .distance(let source, let place, let isAscending):
      let order = Self.nearer(source.value(in: left), source.value(in: right), to: place)
      return isAscending ? order : order.reversed
    }
  }

  /// Compares two values. A missing value is the first.
  private static func ascending(_ left: FieldValue?, _ right: FieldValue?) -> Order {
    guard let left, let right else {
      return left == nil ? right == nil ? .same : .before : .behind
    }
    switch (left, right) {
    case (.string(let left), .string(let right)):
      let order = NaiveText.compare(left, right)
      return order != 0 && NaiveText.isOrderOpen(left, right) ? .open : Order(order)
    case (.int64(let left), .int64(let right)):
      return Order(left < right ? -1 : left > right ? 1 : 0)
    case (.timestamp(let left), .timestamp(let right)):
      let (left, right) = (left.milliseconds, right.milliseconds)
      return Order(left < right ? -1 : left > right ? 1 : 0)
    case (.double(let left), .double(let right)):
      return Order(left < right ? -1 : left > right ? 1 : 0)
    case (.reference(let left), .reference(let right)):
      return Order(NaiveText.compare(left.recordName, right.recordName))
    default: return .open
    }
  }

  /// Compares two distances. A record without a location is farther than all others.
  private static func nearer(
    _ left: FieldValue?, _ right: FieldValue?, to place: Place
  ) -> Order {
    guard case .location(let left)? = left else {
      if case .location? = right { return .behind }
      return .same
    }
    guard case .location(let right)? = right else { return .before }
    if left.latitude == right.latitude, left.longitude == right.longitude { return .same }
    let difference = NaiveDistance.between(place, left) - NaiveDistance.between(place, right)
    if abs(difference) <= NaiveDistance.openOrder + NaiveDistance.rounding { return .open }
    return difference < 0 ? .before : .behind
  }
}

extension NaiveSort.Order {
  fileprivate init(_ comparison: Int) {
    self = comparison < 0 ? .before : comparison > 0 ? .behind : .same
  }

  fileprivate var reversed: Self {
    switch self {
    case .before: .behind
    case .behind: .before
    case .same, .open: self
    }
  }
}
