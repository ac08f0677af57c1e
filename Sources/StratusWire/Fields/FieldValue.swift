/// The value of one field.
public enum FieldValue: Sendable, Hashable {
  case string(String)
  case int64(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case bytes([UInt8])
  // NB: the large values are `indirect`, so that a value takes few bytes and is copied quickly.
  indirect case location(Location)
  indirect case reference(Reference)
  indirect case asset(Asset)
  /// The type and the bytes of an encrypted value, which only devices with the key can read. A list
  /// is sealed as a whole.
  case sealed(FieldType, [UInt8])
  /// A list of values of one type. The element type is explicit because a list may be empty.
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

  /// The size of the value in bytes, as ``FieldsJSON/payloadSizeBytes()`` counts it.
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

/// A location on Earth, like `CLLocation`.
public struct Location: Sendable, Hashable {
  /// The latitude in degrees, from −90 to 90.
  public var latitude: Double
  /// The longitude in degrees, from −180 to 180.
  public var longitude: Double
  /// The horizontal accuracy in metres.
  public var horizontalAccuracy: Double?
  /// The vertical accuracy in metres.
  public var verticalAccuracy: Double?
  /// The altitude in metres.
  public var altitude: Double?
  /// The speed in metres a second.
  public var speed: Double?
  /// The direction of the movement, in degrees clockwise from north.
  public var course: Double?
  public var timestamp: Timestamp?

  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// A pointer to another record.
public struct Reference: Sendable, Hashable {
  /// The effect that a deletion of the target has on the record that contains the reference.
  public enum Action: String, Sendable, Hashable, CaseIterable {
    case none = "NONE"
    case deleteSelf = "DELETE_SELF"
    case validate = "VALIDATE"
  }

  public var recordName: String
  /// The zone of the target. In a request, nil means the zone of the record that
  /// contains the reference.
  public var zoneID: ZoneID?
  public var action: Action

  public init(recordName: String, zoneID: ZoneID? = nil, action: Action = .none) {
    self.recordName = recordName
    self.zoneID = zoneID
    self.action = action
  }
}
