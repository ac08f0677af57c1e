/// The value of one field.
public enum FieldValue: Sendable, Hashable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case bytes([UInt8])
  case location(Location)
  case reference(Reference)
  case asset(Asset)
  /// A value only the user's devices can read, and its type, which is an encrypted one. A list is
  /// sealed as a whole.
  case sealed(FieldType, [UInt8])
  /// Values of one type. The element type stands beside them, because a list may be empty.
  case list(FieldType.Element, [FieldValue])

  public var type: FieldType {
    switch self {
    case .string: FieldType(.string)
    case .int64: FieldType(.int64)
    case .double: FieldType(.double)
    case .timestamp: FieldType(.timestamp)
    case .bytes: FieldType(.bytes)
    case .location: FieldType(.location)
    case .reference: FieldType(.reference)
    case .asset: FieldType(.asset)
    case .sealed(let type, _): type
    case .list(let element, _): FieldType(element, isList: true)
    }
  }

  /// Bytes of the value itself, as ``FieldsJSON/payloadSizeBytes()`` counts them.
  var sizeBytes: Int {
    switch self {
    case .string(let value): value.utf8.count
    case .int64, .double, .timestamp: 8
    case .bytes(let value): value.count
    case .location: 64
    case .reference(let value): value.recordName.utf8.count
    case .asset: 0
    case .sealed(_, let bytes): bytes.count
    case .list(_, let values): values.reduce(0) { $0 + $1.sizeBytes }
    }
  }
}

/// A place on Earth, as `CLLocation` has it.
public struct Location: Sendable, Hashable {
  /// Degrees, −90 … 90.
  public var latitude: Double
  /// Degrees, −180 … 180.
  public var longitude: Double
  /// Metres.
  public var horizontalAccuracy: Double?
  /// Metres.
  public var verticalAccuracy: Double?
  /// Metres.
  public var altitude: Double?
  /// Metres a second.
  public var speed: Double?
  /// Degrees.
  public var course: Double?
  public var timestamp: Timestamp?

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A pointer to another record.
public struct Reference: Sendable, Hashable {
  /// What the deletion of the target does to the record that points at it.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case none = "NONE"
    case deleteSelf = "DELETE_SELF"
    case validate = "VALIDATE"
  }

  public var recordName: String
  /// Absent in requests: the zone of the record that holds the reference.
  public var zoneID: ZoneID?
  public var action: Action

  public init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zoneID = zoneID
    self.action = action
  }
}
