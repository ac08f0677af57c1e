public import StratusWire

/// The record types of one container in one environment.
public struct Schema: Sendable, Hashable {
  public private(set) var recordTypes: [String: RecordType]

  public init(recordTypes: [String: RecordType] = [:]) { self.recordTypes = recordTypes }

  /// Adds what an addition holds.
  public mutating func add(_ addition: SchemaAddition) {
    for name in addition.recordTypes where recordTypes[name] == nil {
      recordTypes[name] = RecordType(name: name)
    }
    for field in addition.fields {
      recordTypes[field.recordType, default: RecordType(name: field.recordType)]
        .fields[field.name] = field.type
    }
  }
}

/// A kind of record, and the types of its fields.
public struct RecordType: Sendable, Hashable {
  public var name: String
  public var fields: [String: FieldType]

  public init(name: String, fields: [String: FieldType] = [:]) {
    self.name = name
    self.fields = fields
  }
}

/// Record types and fields that a save brings into a development schema.
public struct SchemaAddition: Sendable, Hashable {
  /// A field new to its record type.
  public struct Field: Sendable, Hashable {
    public var recordType: String
    public var name: String
    public var type: FieldType

    public init(recordType: String, name: String, type: FieldType) {
      self.recordType = recordType
      self.name = name
      self.type = type
    }
  }

  public var recordTypes: [String]
  public var fields: [Field]

  public init(recordTypes: [String] = [], fields: [Field] = []) {
    self.recordTypes = recordTypes
    self.fields = fields
  }

  public var isEmpty: Bool { recordTypes.isEmpty && fields.isEmpty }
}
