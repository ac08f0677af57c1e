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

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  /// Writes an object. `body` writes its members.
  public mutating func object(_ body: (inout JSONWriter) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "{"))
    needsComma = false
    body(&self)
    bytes.append(UInt8(ascii: "}"))
    needsComma = true
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

  /// Writes a key. The caller must write its value next.
  public mutating func key(_ key: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
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
    separate()
    bytes.append(UInt8(ascii: "\""))
    var value = value
    value.withUTF8 { appendEscaped($0) }
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Writes a whole number.
  public mutating func int(_ value: Int64) {
    separate()
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    // NB: no temporary string is created, because a feed contains two timestamps for each record.
    var rest = value.magnitude
    let start = bytes.count
    repeat {
      bytes.append(UInt8(ascii: "0"))
      rest /= 10
    } while rest > 0
    rest = value.magnitude
    for index in (start..<bytes.count).reversed() {
      bytes[index] += UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
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
  /// NB: the loop reads all bytes without a branch, so the compiler makes it read many bytes at
  /// once.
  private static func needsEscapes(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    var found: UInt8 = 0
    for byte in text { found |= isEscaped(byte) ? 1 : 0 }
    return found != 0
  }

  private static let hex = Array("0123456789abcdef".utf8)
}

extension JSONWriter {
  mutating func member(_ key: StaticString, _ value: String?) {
    guard let value else { return }
    self.key(key)
    string(value)
  }

  mutating func member(_ key: StaticString, _ value: Int64?) {
    guard let value else { return }
    self.key(key)
    int(value)
  }

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
