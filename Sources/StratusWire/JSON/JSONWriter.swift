/// Writes JSON text.
///
/// The writer adds commas itself. The caller decides the order of the values.
public struct JSONWriter: Sendable {
  /// The text that was written so far.
  public private(set) var bytes: [UInt8] = []
  private var needsComma = false

  public init(reserving capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// Removes the text, and keeps the memory for further text.
  public mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// Writes an object. `body` writes its members.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    beginObject()
    body(&self)
    endObject()
  }

  /// Begins an object. The caller must write its members next, and then call ``endObject()``.
  public mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
  }

  /// Ends an object.
  public mutating func endObject() {
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
  }

  /// Ends a line, so that the next value stands on a line of its own (JSON Lines).
  public mutating func endLine() {
    bytes.append(UInt8(ascii: "\n"))
    needsComma = false
  }

  /// Writes an array. `body` writes its elements.
  public mutating func array(_ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "["))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: "]"))
    needsComma = true
  }

  /// Appends a short piece of text, after a comma if one is needed.
  ///
  /// NB: the piece is composed in the array's free memory, in one change of the array, because each
  /// change has a fixed cost.
  ///
  /// - Parameter countMax: the maximum number of bytes that `compose` writes.
  private mutating func piece(_ countMax: Int, _ compose: (inout ByteCursor) -> Void) {
    let needsComma = needsComma
    bytes.append(addingCapacity: countMax + 1) { span in
      span.withUnsafeMutableBufferPointer { space, count in
        var cursor = ByteCursor(space)
        if needsComma { cursor.put(UInt8(ascii: ",")) }
        compose(&cursor)
        count = cursor.count
      }
    }
  }

  /// Writes a key. The caller must write its value next.
  public mutating func key(_ key: StaticString) {
    piece(key.utf8CodeUnitCount + 3) { $0.put(key: key) }
    needsComma = false
  }

  /// Writes a key that is not a literal, for example a field's name.
  public mutating func key(_ key: String) {
    string(key)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Writes a string, with escape sequences where JSON requires them.
  public mutating func string(_ value: String) {
    Self.read(value) { text in
      if text.count <= Self.pieceMax, !Self.needsEscapes(text) {
        piece(text.count + 2) { $0.put(quoted: text) }
      } else {
        separate()
        bytes.append(UInt8(ascii: "\""))
        appendEscaped(text)
        bytes.append(UInt8(ascii: "\""))
      }
    }
    needsComma = true
  }

  /// Writes a member of an object: a key and a string, unless the string is nil.
  public mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    let isWritten = Self.read(value) { text in
      guard text.count <= Self.pieceMax, !Self.needsEscapes(text) else { return false }
      piece(key.utf8CodeUnitCount + text.count + 5) { cursor in
        cursor.put(key: key)
        cursor.put(quoted: text)
      }
      return true
    }
    if !isWritten {
      self.key(key)
      string(value)
    }
    needsComma = true
  }

  /// Calls a function with the UTF-8 bytes of a text.
  ///
  /// NB: `withUTF8` may change the text, so it needs a copy, whose reference is counted.
  private static func read<Result>(
    _ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    if let result = text.utf8.withContiguousStorageIfAvailable(body) { return result }
    var text = text
    return text.withUTF8(body)
  }

  /// Writes a whole number.
  public mutating func int(_ value: Int64) {
    piece(ByteCursor.digitsMax) { $0.put(number: value) }
    needsComma = true
  }

  /// Writes a member of an object: a key and a whole number, unless the number is nil.
  public mutating func member(_ key: StaticString, _ value: Int64?) {
    guard let value else { return }
    piece(key.utf8CodeUnitCount + 3 + ByteCursor.digitsMax) { cursor in
      cursor.put(key: key)
      cursor.put(number: value)
    }
    needsComma = true
  }

  /// Writes a finite number. A whole number is written without a decimal point.
  public mutating func double(_ value: Double) {
    separate()
    bytes.append(contentsOf: JSONNumber.text(value).utf8)
    needsComma = true
  }

  /// Writes `true` or `false`.
  public mutating func bool(_ value: Bool) {
    separate()
    bytes.append(contentsOf: value ? Self.yes : Self.no)
    needsComma = true
  }

  /// Writes `null`.
  public mutating func null() {
    separate()
    bytes.append(contentsOf: Self.nothing)
    needsComma = true
  }

  /// Writes a value that is already JSON text.
  public mutating func raw(_ text: some Collection<UInt8>) {
    separate()
    bytes.append(contentsOf: text)
    needsComma = true
  }

  /// The maximum number of bytes of a string that is composed as a piece.
  private static let pieceMax = 512
  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)
  private static let nothing = Array("null".utf8)

  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    guard Self.needsEscapes(text) else {
      bytes.append(contentsOf: text)
      return
    }
    var plainStart = 0
    for position in 0..<text.count {
      let byte = text[position]
      guard Self.isEscaped(byte) else { continue }
      bytes.append(contentsOf: text[plainStart..<position])
      plainStart = position + 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x0A: bytes.append(contentsOf: [0x5C, UInt8(ascii: "n")])
      case 0x0D: bytes.append(contentsOf: [0x5C, UInt8(ascii: "r")])
      case 0x09: bytes.append(contentsOf: [0x5C, UInt8(ascii: "t")])
      default:
        bytes.append(contentsOf: [0x5C, UInt8(ascii: "u"), 0x30, 0x30])
        bytes.append(Self.hex[Int(byte >> 4)])
        bytes.append(Self.hex[Int(byte & 15)])
      }
    }
    bytes.append(contentsOf: text[plainStart...])
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  /// Whether a text has a byte that JSON escapes.
  ///
  /// NB: the loop tests eight bytes at once, because the tests of an answer take much of the time
  /// for it. Each subtraction sets the highest bit of a byte that is found, because the byte is too
  /// small for the subtraction.
  private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = UnsafeRawPointer(text.baseAddress) else { return false }
    var found: UInt64 = 0
    var offset = 0
    while offset + 8 <= text.count {
      let word = start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      let mark = word ^ (eachByte &* UInt64(UInt8(ascii: "\"")))
      let slash = word ^ (eachByte &* UInt64(UInt8(ascii: "\\")))
      found |= (word &- eachByte &* 0x20) & ~word
      found |= (mark &- eachByte) & ~mark
      found |= (slash &- eachByte) & ~slash
      offset += 8
    }
    found &= eachByte &* 0x80
    while offset < text.count {
      if isEscaped(text[offset]) { return true }
      offset += 1
    }
    return found != 0
  }

  private static let eachByte: UInt64 = 0x0101_0101_0101_0101

  private static let hex = Array("0123456789abcdef".utf8)
}

extension JSONWriter {
  mutating func member(_ key: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.key(key)
    bool(value)
  }

  mutating func member(_ key: StaticString, _ value: (some JSONWritable)?) {
    guard let value else { return }
    self.key(key)
    value.write(to: &self)
  }

  /// Writes a reference that contains only the name of a record. The record is in the same zone.
  mutating func member(_ key: StaticString, reference recordName: String?) {
    guard let recordName else { return }
    self.key(key)
    object { $0.member("recordName", recordName) }
  }

  mutating func member(_ key: StaticString, strings values: [String]?) {
    guard let values else { return }
    self.key(key)
    array { writer in for value in values { writer.string(value) } }
  }

  /// NB: a loop over the positions does not copy the values. The records of an answer are large.
  mutating func member(_ key: StaticString, array values: [some JSONWritable]) {
    self.key(key)
    array { writer in
      for position in values.indices { values[position].write(to: &writer) }
    }
  }
}
