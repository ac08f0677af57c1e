/// A value that can be written as JSON.
public protocol JSONWritable: Sendable {
  /// Writes exactly one JSON value.
  func write(to writer: inout JSONWriter)

  /// The approximate length of the JSON text, in bytes. The default is 256.
  var expectedByteCount: Int { get }
}

/// A value that can be read from JSON.
public protocol JSONReadable: Sendable {
  /// Reads one JSON value.
  ///
  /// - Throws: ``WireError`` with a sentence that names the invalid key.
  init(json: JSONView) throws(WireError)
}

extension JSONWritable {
  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int { 256 }

  /// The JSON text of this value.
  public var jsonBytes: [UInt8] {
    var writer = JSONWriter(reserving: expectedByteCount)
    write(to: &writer)
    return writer.bytes
  }
}

extension JSONReadable {
  /// Reads a value from JSON text.
  ///
  /// - Throws: ``WireError`` if the text is not JSON, or if a required key is missing or has
  ///   another type.
  public init(jsonBytes: [UInt8]) throws(WireError) {
    try self.init(json: JSONView(parsing: jsonBytes))
  }
}

extension JSONView {
  /// Reads a required string.
  func requiredString(_ key: StaticString) throws(WireError) -> String {
    guard let value = self[key] else { throw .missing(key) }
    guard let string = value.string else { throw .wrongType(key, expected: "a string") }
    return string
  }

  /// Reads an optional string. A value of another type is an error.
  func optionalString(_ key: StaticString) throws(WireError) -> String? {
    guard let value = self[key] else { return nil }
    guard let string = value.string else { throw .wrongType(key, expected: "a string") }
    return string
  }

  /// Reads an optional Boolean. A value of another type is an error.
  func optionalBool(_ key: StaticString) throws(WireError) -> Bool? {
    guard let value = self[key] else { return nil }
    guard let bool = value.bool else { throw .wrongType(key, expected: "true or false") }
    return bool
  }

  /// Reads an optional whole number that is not negative.
  func optionalNumber(_ key: StaticString) throws(WireError) -> Int64? {
    guard let value = self[key] else { return nil }
    guard let number = value.int64, number >= 0 else {
      throw .wrongType(key, expected: "a whole number that is not negative")
    }
    return number
  }

  /// Reads an array. A missing array is empty.
  func array<Element: JSONReadable>(
    _ key: StaticString, of type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    guard let value = self[key] else { return [] }
    guard value.isArray else { throw .wrongType(key, expected: "an array") }
    var result: [Element] = []
    for element in value.elements { result.append(try Element(json: element.value)) }
    return result
  }

  /// Reads a required array.
  func requiredArray<Element: JSONReadable>(
    _ key: StaticString, of type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    if self[key] == nil { throw .missing(key) }
    return try array(key, of: type)
  }

  /// Reads a list of strings. Returns nil if the key is missing.
  func strings(_ key: StaticString) throws(WireError) -> [String]? {
    guard let value = self[key] else { return nil }
    guard value.isArray else { throw .wrongType(key, expected: "an array of strings") }
    var result: [String] = []
    for element in value.elements {
      guard let string = element.value.string else {
        throw .wrongType(key, expected: "an array of strings")
      }
      result.append(string)
    }
    return result
  }

  /// Reads a value with the initializer of its type. Returns nil if the key is missing.
  func optional<Value: JSONReadable>(
    _ key: StaticString, _ type: Value.Type = Value.self
  ) throws(WireError) -> Value? {
    guard let value = self[key] else { return nil }
    return try Value(json: value)
  }

  /// Throws an error if this value is not an object.
  func requireObject(_ what: StaticString) throws(WireError) {
    if !isObject { throw WireError("\(what) must be an object") }
  }
}
