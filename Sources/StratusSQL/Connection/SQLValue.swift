/// A value bound to a placeholder of a statement.
public enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case text(String)
  case bytes([UInt8])

  /// Returns a text value, or null if `text` is nil.
  public static func optional(_ text: String?) -> SQLValue {
    text.map { .text($0) } ?? .null
  }

  /// Returns 1 or 0, because the engines have no common Boolean type.
  public static func flag(_ value: Bool) -> SQLValue { .integer(value ? 1 : 0) }
}
