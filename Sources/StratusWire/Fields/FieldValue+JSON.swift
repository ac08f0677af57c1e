import Foundation

extension FieldValue {
  /// Writes the field dictionary `{"value": …, "type": "STRING"}`. A time with a fraction of a
  /// millisecond also has `referenceSeconds`.
  ///
  /// - Parameter numbersAsStrings: whether whole numbers, fractions and times are written as JSON
  ///   strings.
  public func writeField(to writer: inout JSONWriter, numbersAsStrings: Bool = false) {
    writer.object { writer in
      writer.key("value")
      writeValue(to: &writer, numbersAsStrings: numbersAsStrings)
      writer.member("type", type.name)
      writeReferenceSeconds(to: &writer, numbersAsStrings: numbersAsStrings)
      if case .sealed = self { writer.member("isEncrypted", true) }
    }
  }

  func writeValue(to writer: inout JSONWriter, numbersAsStrings: Bool) {
    switch self {
    case .string(let value): writer.string(value)
    case .int64(let value):
      numbersAsStrings ? writer.string(String(value)) : writer.int(value)
    case .timestamp(let time):
      numbersAsStrings
        ? writer.string(String(time.milliseconds)) : writer.int(time.milliseconds)
    case .double(let value):
      numbersAsStrings ? writer.string(JSONNumber.text(value)) : writer.double(value)
    case .bytes(let value), .sealed(_, let value):
      writer.string(Data(value).base64EncodedString())
    case .location(let value): value.write(to: &writer)
    case .reference(let value): value.write(to: &writer)
    case .asset(let value): value.write(to: &writer)
    case .list(_, let values):
      writer.array { writer in
        for value in values { value.writeValue(to: &writer, numbersAsStrings: numbersAsStrings) }
      }
    }
  }

  /// Reads a field dictionary that the server wrote. Such a dictionary always has `type`.
  public init(storedField json: JSONView) throws(WireError) {
    let name = try json.requiredString("type")
    guard let type = FieldType(name: name) else { throw WireError("unknown field type '\(name)'") }
    guard let value = json["value"] else { throw .missing("value") }
    let isEncrypted = json["isEncrypted"]?.bool ?? false
    self = try FieldValue(
      json: value,
      type: FieldType(type.element, isList: type.isList, isEncrypted: isEncrypted))
    if type.element == .timestamp { self = withReferenceSeconds(json[Timestamp.key]) }
  }

  /// Reads a value of a known type, without a field dictionary around it.
  ///
  /// - Throws: ``WireError`` "Invalid value, expected type …", with the text of Apple's service.
  public init(json: JSONView, type: FieldType) throws(WireError) {
    if type.isEncrypted {
      self = .sealed(type, try Self.bytes(json, of: type))
      return
    }
    guard type.isList else {
      self = try FieldValue(json: json, element: type.element)
      return
    }
    guard json.isArray else { throw .invalidValue(expected: type) }
    var values: [FieldValue] = []
    for element in json.elements {
      values.append(try FieldValue(json: element.value, element: type.element))
    }
    self = .list(type.element, values)
  }

  private init(json: JSONView, element: FieldType.Element) throws(WireError) {
    let type = FieldType(element)
    switch element {
    case .string: self = .string(try json.string.orThrow(type))
    case .int64: self = .int64(try json.int64OrTruth.orThrow(type))
    case .double: self = .double(try json.double.orThrow(type))
    // NB: some clients write whole numbers as `1000.0`, which `int64` accepts.
    case .timestamp: self = .timestamp(Timestamp(try json.int64.orThrow(type)))
    case .bytes: self = .bytes(try Self.bytes(json, of: type))
    case .location: self = .location(try Location(json: json))
    case .reference: self = .reference(try Reference(json: json))
    case .asset: self = .asset(try Asset(json: json))
    }
  }

  private static func bytes(
    _ json: JSONView, of type: FieldType
  ) throws(WireError) -> [UInt8] {
    Array(try json.string.flatMap { Data(base64Encoded: $0) }.orThrow(type))
  }
}

extension Optional {
  fileprivate func orThrow(_ type: FieldType) throws(WireError) -> Wrapped {
    guard let self else { throw .invalidValue(expected: type) }
    return self
  }
}

extension WireError {
  static func invalidValue(expected type: FieldType) -> WireError {
    WireError("Invalid value, expected type \(type.name).")
  }
}

extension Location: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("latitude")
      writer.double(latitude)
      writer.key("longitude")
      writer.double(longitude)
      writer.member("horizontalAccuracy", double: horizontalAccuracy)
      writer.member("verticalAccuracy", double: verticalAccuracy)
      writer.member("altitude", double: altitude)
      writer.member("speed", double: speed)
      writer.member("course", double: course)
      writer.member("timestamp", timestamp?.milliseconds)
      writer.member(Timestamp.key, double: timestamp?.referenceSeconds)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let latitude = json["latitude"]?.double, let longitude = json["longitude"]?.double,
      abs(latitude) <= 90, abs(longitude) <= 180
    else { throw .invalidValue(expected: FieldType(.location)) }
    self.init(latitude: latitude, longitude: longitude)
    horizontalAccuracy = try Self.measure(json["horizontalAccuracy"])
    verticalAccuracy = try Self.measure(json["verticalAccuracy"])
    altitude = try Self.measure(json["altitude"])
    speed = try Self.measure(json["speed"])
    course = try Self.measure(json["course"])
    timestamp = try json["timestamp"].map { time throws(WireError) in
      Timestamp(
        milliseconds: try time.int64.orThrow(FieldType(.location)),
        referenceSeconds: json[Timestamp.key]?.double)
    }
  }

  private static func measure(_ json: JSONView?) throws(WireError) -> Double? {
    guard let json else { return nil }
    return try json.double.orThrow(FieldType(.location))
  }
}

extension Reference: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("recordName", recordName)
      writer.member("zoneID", zoneID)
      writer.member("action", action.rawValue)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let name = json["recordName"]?.string, !name.isEmpty else {
      throw .invalidValue(expected: FieldType(.reference))
    }
    let word = json["action"].map { $0.string ?? "" } ?? Action.none.rawValue
    guard let action = Action(rawValue: word) else {
      throw WireError("Invalid value for 'action', expected NONE, DELETE_SELF or VALIDATE")
    }
    self.init(recordName: name, zoneID: try json.optional("zoneID"), action: action)
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ key: StaticString, double value: Double?) {
    guard let value else { return }
    self.key(key)
    double(value)
  }
}
