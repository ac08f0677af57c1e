/// The type of a field: one of CloudKit's value types, or a list of one.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*.
public struct FieldType: Sendable, Hashable {
  /// The type of a single value.
  public enum Element: String, Sendable, Hashable, CaseIterable {
    case string = "STRING"
    case int64 = "INT64"
    case double = "DOUBLE"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case location = "LOCATION"
    case reference = "REFERENCE"

    /// NB: spelled out, because each field of each record is named once or twice.
    fileprivate var listName: String {
      switch self {
      case .string: "STRING_LIST"
      case .int64: "INT64_LIST"
      case .double: "DOUBLE_LIST"
      case .timestamp: "TIMESTAMP_LIST"
      case .bytes: "BYTES_LIST"
      case .location: "LOCATION_LIST"
      case .reference: "REFERENCE_LIST"
      }
    }
  }

  public let element: Element
  public let isList: Bool

  public init(_ element: Element, isList: Bool = false) {
    self.element = element
    self.isList = isList
  }

  /// The name on the wire: `STRING`, `STRING_LIST`.
  public var name: String { isList ? element.listName : element.rawValue }

  /// Reads a name, the aliases included that clients send (wire-quirks A14).
  public init?(name: String) {
    if let element = Element(rawValue: name) {
      self.init(element)
      return
    }
    if name.hasSuffix("_LIST"), let element = Element(rawValue: String(name.dropLast(5))) {
      self.init(element, isList: true)
      return
    }
    switch name {
    case "NUMBER_INT64": self.init(.int64)
    case "NUMBER_DOUBLE": self.init(.double)
    default: return nil
    }
  }
}
