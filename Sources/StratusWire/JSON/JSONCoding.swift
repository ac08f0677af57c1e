/// What can be written as JSON.
public protocol JSONWritable: Sendable {
  /// Writes exactly one JSON value.
  func write(to writer: inout JSONWriter)

  /// About how long the text will be; bytes. 256 unless said otherwise.
  var expectedByteCount: Int { get }
}

/// What can be read from JSON.
public protocol JSONReadable: Sendable {
  /// Reads one JSON value.
  ///
  /// - Throws: ``WireError`` with a sentence that names the key at fault.
  init(json: JSONView) throws(WireError)
}

extension JSONWritable {
  /// About how long the text will be; bytes.
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
  /// - Throws: ``WireError`` if the text is no JSON or a required key is missing or of another
  ///   type.
  public init(jsonBytes: [UInt8]) throws(WireError) {
    try self.init(json: JSONView(parsing: jsonBytes))
  }
}

extension JSONView {
  /// A string that must be there.
  func requiredString(_ key: StaticString) throws(WireError) -> String {
    guard let value = self[key] else { throw .missing(key) }
    guard let string = value.string else { throw .wrongType(key, expected: "a string") }
    return string
  }

  /// A string that may be absent, but must not be something else.
  func optionalString(_ key: StaticString) throws(WireError) -> String? {
    guard let value = self[key] else { return nil }
    guard let string = value.string else { throw .wrongType(key, expected: "a string") }
    return string
  }

  /// A truth value that may be absent, but must not be something else.
  func optionalBool(_ key: StaticString) throws(WireError) -> Bool? {
    guard let value = self[key] else { return nil }
    guard let bool = value.bool else { throw .wrongType(key, expected: "true or false") }
    return bool
  }

  /// An array; an absent one is empty.
  func array<Element: JSONReadable>(
    _ key: StaticString, of type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    guard let value = self[key] else { return [] }
    guard value.isArray else { throw .wrongType(key, expected: "an array") }
    var result: [Element] = []
    for element in value.elements { result.append(try Element(json: element.value)) }
    return result
  }

  /// An array that must be there.
  func requiredArray<Element: JSONReadable>(
    _ key: StaticString, of type: Element.Type = Element.self
  ) throws(WireError) -> [Element] {
    if self[key] == nil { throw .missing(key) }
    return try array(key, of: type)
  }

  /// A list of strings; nil when absent.
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

  /// A value read by its own rules; nil when absent.
  func optional<Value: JSONReadable>(
    _ key: StaticString, _ type: Value.Type = Value.self
  ) throws(WireError) -> Value? {
    guard let value = self[key] else { return nil }
    return try Value(json: value)
  }

  /// Refuses anything that is no object.
  func requireObject(_ what: StaticString) throws(WireError) {
    if !isObject { throw WireError("\(what) must be an object") }
  }
}
