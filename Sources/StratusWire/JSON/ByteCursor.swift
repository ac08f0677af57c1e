/// Composes a short piece of text in memory that the caller provides.
///
/// NB: the cursor does not check the size of the memory. The caller must provide enough.
struct ByteCursor: ~Copyable {
  /// The maximum number of bytes of a whole number: 19 digits and a sign.
  static let digitsMax = 20

  private let start: UnsafeMutablePointer<UInt8>?
  /// The number of bytes that were written so far.
  private(set) var count = 0

  init(_ space: UnsafeMutableBufferPointer<UInt8>) { start = space.baseAddress }

  @inline(__always)
  mutating func put(_ byte: UInt8) {
    start?[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func put(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let start, let source = bytes.baseAddress else { return }
    (start + count).update(from: source, count: bytes.count)
    count += bytes.count
  }

  /// Writes a text in quotation marks.
  @inline(__always)
  mutating func put(quoted text: UnsafeBufferPointer<UInt8>) {
    put(UInt8(ascii: "\""))
    put(text)
    put(UInt8(ascii: "\""))
  }

  /// Writes a key in quotation marks, and a colon.
  @inline(__always)
  mutating func put(key: StaticString) {
    put(quoted: UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    put(UInt8(ascii: ":"))
  }

  /// Writes a whole number in decimal digits.
  mutating func put(number: Int64) {
    if number < 0 { put(UInt8(ascii: "-")) }
    var rest = number.magnitude
    var digits = 1
    while rest >= 10 {
      rest /= 10
      digits += 1
    }
    rest = number.magnitude
    for offset in (0..<digits).reversed() {
      start?[count + offset] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
    count += digits
  }
}
