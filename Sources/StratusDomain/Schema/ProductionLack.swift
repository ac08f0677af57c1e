import StratusWire
import Synchronization

/// A part of the schema that a request needed and that production lacks.
public struct ProductionLack: Sendable, Hashable {
  /// The raw values are stored, and operators see them.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case recordType = "type"
    case field
    case index
  }

  public var recordType: String
  public var kind: Kind
  /// The name of the field. For an index, the mark follows the field, as in `title SORTABLE`. For a
  /// record type, the name is empty.
  public var name: String

  public init(recordType: String, kind: Kind, name: String = "") {
    self.recordType = recordType
    self.kind = kind
    self.name = name
  }

  static func index(_ field: String, _ mark: String, of recordType: String) -> ProductionLack {
    ProductionLack(
      recordType: recordType, kind: .index, name: "\(field) \(mark.uppercased())")
  }

  /// Whether the names, which come from callers, are short enough to be stored.
  var isKeepable: Bool {
    recordType.utf8.count <= Limits.recordTypeLengthMax
      && name.utf8.count <= Limits.fieldNameLengthMax + 16
  }

  /// Whether a schema contains the missing part by now.
  func isResolved(by schema: Schema) -> Bool {
    guard let type = schema.recordTypes[recordType] else { return false }
    switch kind {
    case .recordType: return true
    case .field: return type.fields[name] != nil
    case .index:
      let words = name.split(separator: " ").map(String.init)
      guard words.count == 2, let mark = FieldIndexes(word: words[1]) else { return false }
      // A search of all fields needs at least one field with the index mark.
      if words[0] == "(any)" { return type.fields.values.contains { $0.indexes.contains(mark) } }
      if let field = type.fields[words[0]] { return field.indexes.contains(mark) }
      guard let system = SystemField(rawValue: words[0]) else { return false }
      return type.systemFields[system]?.contains(mark) ?? false
    }
  }
}

extension FieldIndexes {
  /// Creates the index mark that a word of the schema language names. The word may be in any case.
  init?(word: String) {
    switch word.uppercased() {
    case "QUERYABLE": self = .queryable
    case "SORTABLE": self = .sortable
    case "SEARCHABLE": self = .searchable
    default: return nil
    }
  }
}

/// The number of requests that production refused, because its schema lacked one part. All of them
/// came from one version of an app.
public struct LackCount: Sendable, Hashable {
  public var lack: ProductionLack
  /// The app and its version as the requests named them, or an empty text if they named none.
  public var app: String
  public var count: Int64
  /// The time of the first refusal, in milliseconds since 1970 UTC. ``lastAt`` has the same unit.
  public var firstAt: Int64
  public var lastAt: Int64

  public init(lack: ProductionLack, app: String, count: Int64, firstAt: Int64, lastAt: Int64) {
    self.lack = lack
    self.app = app
    self.count = count
    self.firstAt = firstAt
    self.lastAt = lastAt
  }
}

/// Collects the parts of the schema that production lacked for one request. Each appears once.
public final class LackNotes: Sendable {
  private let noted = Mutex<Set<ProductionLack>>([])

  public init() {}

  func note(_ lack: ProductionLack) {
    guard lack.isKeepable else { return }
    noted.withLock { noted in
      if noted.count < Self.countMax { noted.insert(lack) }
    }
  }

  /// The parts of the schema noted so far.
  public var all: Set<ProductionLack> { noted.withLock { $0 } }

  /// The maximum number of parts. A request rarely needs more missing parts, and each part costs a
  /// row.
  private static let countMax = 20
}

// NB: all values of this type are equal, because they are not part of the caller's identity.
extension LackNotes: Hashable {
  public static func == (left: LackNotes, right: LackNotes) -> Bool { true }

  public func hash(into hasher: inout Hasher) {}
}
