import Foundation
import StratusWire

/// A filter of `query-records`, in the form `"FIELD OP VALUE"`.
struct CloudKitToolFilter {
  let filter: FieldFilter

  private static let operators: [String: StratusWire.Comparator] = [
    "==": .equals, "EQUALS": .equals, "!=": .notEquals, "NOT_EQUALS": .notEquals,
    "<": .lessThan, "LESS_THAN": .lessThan, "<=": .lessThanOrEquals,
    "LESS_THAN_OR_EQUALS": .lessThanOrEquals, ">": .greaterThan, "GREATER_THAN": .greaterThan,
    ">=": .greaterThanOrEquals, "GREATER_THAN_OR_EQUALS": .greaterThanOrEquals, "NEAR": .near,
    "CONTAINS_ALL_TOKENS": .containsAllTokens, "CONTAINS_ANY_TOKENS": .containsAnyTokens,
    "IN": .in, "NOT_IN": .notIn, "BEGINS_WITH": .beginsWith, "NOT_BEGINS_WITH": .notBeginsWith,
    "LIST_CONTAINS": .listContains, "LIST_NOT_CONTAINS": .notListContains,
    "LIST_CONTAINS_ANY": .listContainsAny, "LIST_NOT_CONTAINS_ANY": .notListContainsAny,
    "LIST_CONTAINS_ALL": .listContainsAll, "NOT_LIST_CONTAINS_ALL": .notListContainsAll,
  ]

  /// - Throws: ``Failure``.
  init(_ text: String) throws {
    let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count == 3 else {
      throw Failure("the filter '\(text)' must be \"FIELD OP VALUE\", such as \"count >= 3\"")
    }
    guard let comparator = Self.operators[words[1].uppercased()] else {
      let known = Self.operators.keys.sorted().joined(separator: ", ")
      throw Failure("the filter '\(text)' has an unknown operator; write one of \(known)")
    }
    let key =
      SystemField(rawValue: String(words[0])).map { QueryKey(system: $0) }
      ?? QueryKey(field: String(words[0]))
    var value = String(words[2])
    var distance: Double?
    if comparator == .near {
      // The value has three numbers: the latitude, the longitude and the radius in kilometres.
      let parts = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      guard parts.count == 3, let kilometres = Double(parts[2]) else {
        throw Failure("the filter '\(text)' needs NEAR latitude,longitude,kilometres")
      }
      value = "\(parts[0]),\(parts[1])"
      distance = kilometres * 1_000
    }
    filter = FieldFilter(
      comparator, key, try Self.value(of: value, isList: comparator.takesSeveral),
      distance: distance)
  }

  private static func value(of text: String, isList: Bool) throws -> FieldValue {
    guard isList else { return try single(text) }
    let parts = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let values = try parts.map { try single($0) }
    guard let first = values.first, values.allSatisfy({ $0.type == first.type }) else {
      throw Failure("the values '\(text)' must be of one type and separated by commas")
    }
    return .list(first.type.element, values)
  }

  /// Reads a value whose type is stated (`stringType:2021-01-01`) or guessed from the text.
  private static func single(_ text: String) throws -> FieldValue {
    if let colon = text.firstIndex(of: ":"),
      let type = ToolField.type(named: String(text[..<colon]))
    {
      return try typed(String(text[text.index(after: colon)...]), type)
    }
    if let number = Int64(text) { return .int64(number) }
    if let number = Double(text), number.isFinite { return .double(number) }
    if let time = CloudKitToolTime.timestamp(text) { return .timestamp(time) }
    if let location = location(text) { return .location(location) }
    return .string(text)
  }

  private static func typed(_ text: String, _ type: FieldType) throws -> FieldValue {
    let wrong = Failure("'\(text)' is no \(ToolField.typeName(of: type)); write another value")
    if type.isList { throw wrong }
    switch type.element {
    case .string: return .string(text)
    case .int64:
      guard let number = Int64(text) else { throw wrong }
      return .int64(number)
    case .double:
      guard let number = Double(text), number.isFinite else { throw wrong }
      return .double(number)
    case .timestamp:
      guard let time = CloudKitToolTime.timestamp(text) else { throw wrong }
      return .timestamp(time)
    case .location:
      guard let location = location(text) else { throw wrong }
      return .location(location)
    case .reference: return .reference(Reference(recordName: text))
    case .bytes, .asset: throw wrong
    }
  }

  private static func location(_ text: String) -> Location? {
    let parts = text.split(separator: ",").map { Double($0.trimmingCharacters(in: .whitespaces)) }
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
    return Location(latitude: latitude, longitude: longitude)
  }
}

extension StratusWire.Comparator {
  fileprivate var takesSeveral: Bool {
    switch self {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll,
      .notListContainsAll:
      true
    default: false
    }
  }
}

/// Reads times in the formats that cktool accepts.
enum CloudKitToolTime {
  /// Reads a time in the format of ISO 8601, `yyyy-MM-dd`, or `yyyy-MM-dd HH:mm`. The last two
  /// formats use the local time zone.
  static func timestamp(_ text: String) -> Timestamp? {
    guard let date = date(text) else { return nil }
    return Timestamp(referenceSeconds: date.timeIntervalSinceReferenceDate)
  }

  private static func date(_ text: String) -> Date? {
    for options in [
      ISO8601DateFormatter.Options.withInternetDateTime,
      [.withInternetDateTime, .withFractionalSeconds],
    ] {
      let formatter = ISO8601DateFormatter()
      formatter.formatOptions = options
      if let date = formatter.date(from: text) { return date }
    }
    for format in ["yyyy-MM-dd", "yyyy-MM-dd HH:mm"] where text.count == format.count {
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.dateFormat = format
      if let date = formatter.date(from: text) { return date }
    }
    return nil
  }
}
