/// One value inside a parsed document.
///
/// CloudKit's clients rely on tolerant reading: a missing key and a `null` mean the same, and
/// unknown keys are ignored. The fields of a record are an exception: ``FieldInput`` reads a `null`
/// as the removal of the field.
public struct JSONView: Sendable {
  let document: JSONDocument
  let index: Int

  /// Parses a text and creates a view of its outermost value.
  ///
  /// - Parameter depthMax: the maximum number of nested levels.
  /// - Throws: ``WireError`` that names the fault and its byte offset.
  public init(
    parsing bytes: [UInt8], depthMax: Int = Limits.jsonDepthMax
  ) throws(WireError) {
    document = try JSONDocument(parsing: bytes, depthMax: depthMax)
    index = 0
  }

  init(document: JSONDocument, index: Int) {
    self.document = document
    self.index = index
  }

  var token: JSONToken { document.tokens[index] }

  /// Whether this is a JSON object.
  public var isObject: Bool { token.kind == .object }
  var isArray: Bool { token.kind == .array }
  var isNull: Bool { token.kind == .null }
  var isString: Bool { token.kind == .string || token.kind == .escapedString }
  var isNumber: Bool { token.kind == .number }

  /// Returns the value of a key. Returns nil if this is not an object, if the key is missing, or if
  /// the value is `null`.
  subscript(_ key: StaticString) -> JSONView? {
    guard isObject else { return nil }
    let end = Int(token.next)
    var position = index + 1
    while position < end {
      let value = position + 1
      if document.isString(at: position, equalTo: key) {
        return present(value)
      }
      position = Int(document.tokens[value].next)
    }
    return nil
  }

  /// Finds the values of three keys in one pass. Each value is nil in the same cases as in the
  /// subscript.
  func values(
    _ first: StaticString, _ second: StaticString, _ third: StaticString
  ) -> (JSONView?, JSONView?, JSONView?) {
    guard isObject else { return (nil, nil, nil) }
    var found: (Int?, Int?, Int?)
    let end = Int(token.next)
    var position = index + 1
    while position < end {
      let value = position + 1
      if found.0 == nil, document.isString(at: position, equalTo: first) {
        found.0 = value
      } else if found.1 == nil, document.isString(at: position, equalTo: second) {
        found.1 = value
      } else if found.2 == nil, document.isString(at: position, equalTo: third) {
        found.2 = value
      }
      position = Int(document.tokens[value].next)
    }
    return (present(found.0), present(found.1), present(found.2))
  }

  private func present(_ index: Int?) -> JSONView? {
    guard let index, document.tokens[index].kind != .null else { return nil }
    return JSONView(document: document, index: index)
  }

  /// The text of a string. nil if this value is not a string.
  var string: String? {
    guard isString else { return nil }
    return document.string(at: index)
  }

  /// The value `true` or `false`. The strings "true" and "false" are also accepted, because some
  /// clients send them.
  var bool: Bool? {
    switch token.kind {
    case .yes: true
    case .no: false
    case .string: string.flatMap { Bool($0.lowercased()) }
    case .object, .array, .escapedString, .number, .null: nil
    }
  }

  /// The bytes of this value in the parsed text.
  var text: ArraySlice<UInt8> {
    let token = token
    guard isString else { return document.bytes[Int(token.start)..<Int(token.end)] }
    return document.bytes[Int(token.start) - 1..<Int(token.end) + 1]
  }

  /// The size of this value's text in bytes.
  public var sizeBytes: Int { text.count }

  /// The elements of an array. Values that are not arrays have none.
  var elements: JSONElements { JSONElements(document: document, parent: index, isObject: false) }

  /// The members of an object. Values that are not objects have none.
  var members: JSONElements { JSONElements(document: document, parent: index, isObject: true) }
}

/// The values inside an array or an object, in order.
struct JSONElements: Sequence, IteratorProtocol {
  private let document: JSONDocument
  private let end: Int
  private let isObject: Bool
  private var position: Int

  init(document: JSONDocument, parent: Int, isObject: Bool) {
    self.document = document
    self.isObject = isObject
    let token = document.tokens[parent]
    position = parent + 1
    end = token.kind == (isObject ? .object : .array) ? Int(token.next) : position
  }

  var isEmpty: Bool { position >= end }

  /// Returns the next value. Its key is empty if the parent is an array.
  mutating func next() -> JSONMember? {
    guard position < end else { return nil }
    let own = position
    let value = isObject ? own + 1 : own
    position = Int(document.tokens[value].next)
    return JSONMember(
      keyIndex: own, isKeyed: isObject, value: JSONView(document: document, index: value))
  }
}

/// A value inside an array or an object, and its key.
struct JSONMember {
  fileprivate let keyIndex: Int
  fileprivate let isKeyed: Bool
  let value: JSONView

  /// The key of an object's member. It is empty for an element of an array.
  var key: String { isKeyed ? value.document.string(at: keyIndex) : "" }
}

extension JSONDocument {
  func string(at index: Int) -> String {
    let token = tokens[index]
    return bytes.withUnsafeBufferPointer { text in
      let slice = UnsafeBufferPointer(rebasing: text[Int(token.start)..<Int(token.end)])
      if token.kind == .escapedString { return JSONEscape.decode(slice) }
      return String(decoding: slice, as: UTF8.self)
    }
  }

  func isString(at index: Int, equalTo key: StaticString) -> Bool {
    let token = tokens[index]
    if token.kind == .escapedString { return string(at: index) == key.description }
    let count = Int(token.end - token.start)
    guard count == key.utf8CodeUnitCount else { return false }
    return bytes.withUnsafeBufferPointer { text in
      for offset in 0..<count where text[Int(token.start) + offset] != key.utf8Start[offset] {
        return false
      }
      return true
    }
  }
}
