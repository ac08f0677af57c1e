/// The type of a field: one of CloudKit's value types, or a list of values of one type.
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
    case asset = "ASSETID"

    /// NB: constants are faster than joined strings. This matters because each field of a record
    /// uses this property once or twice.
    fileprivate var listName: String {
      switch self {
      case .string: "STRING_LIST"
      case .int64: "INT64_LIST"
      case .double: "DOUBLE_LIST"
      case .timestamp: "TIMESTAMP_LIST"
      case .bytes: "BYTES_LIST"
      case .location: "LOCATION_LIST"
      case .reference: "REFERENCE_LIST"
      case .asset: "ASSETID_LIST"
      }
    }
  }

  public let element: Element
  public let isList: Bool
  /// Whether the values are encrypted, so that only devices with the key can read them. The server
  /// stores them sealed.
  public let isEncrypted: Bool

  public init(_ element: Element, isList: Bool = false, isEncrypted: Bool = false) {
    self.element = element
    self.isList = isList
    self.isEncrypted = isEncrypted
  }

  /// The name in a field dictionary, for example `STRING` or `STRING_LIST`. The dictionary of an
  /// encrypted field also has `isEncrypted`.
  public var name: String { isList ? element.listName : element.rawValue }

  /// The name in the schema and in error reasons: `STRING`, `ENCRYPTED_STRING`.
  public var schemaName: String { isEncrypted ? Self.encryptedPrefix + name : name }

  /// Creates the type with this name in the schema. Returns nil if there is no such type.
  public init?(schemaName: String) {
    guard schemaName.hasPrefix(Self.encryptedPrefix) else {
      self.init(name: schemaName)
      return
    }
    guard let type = FieldType(name: String(schemaName.dropFirst(Self.encryptedPrefix.count)))
    else { return nil }
    self.init(type.element, isList: type.isList, isEncrypted: true)
  }

  private static let encryptedPrefix = "ENCRYPTED_"

  /// Creates the type with this name. Accepts the aliases that clients send.
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
    case "ASSET": self.init(.asset)
    case "ASSET_LIST": self.init(.asset, isList: true)
    default: return nil
    }
  }
}
