/// Encodes values as bytes. Values of variable length have a length prefix.
struct PackedBytes: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ value: UInt8) { bytes.append(value) }

  mutating func add(_ value: Int64) {
    withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
  }

  mutating func add(_ value: [UInt8]) {
    let count = UInt16(clamping: value.count)
    withUnsafeBytes(of: count.bigEndian) { bytes += $0 }
    bytes += value.prefix(Int(count))
  }

  mutating func add(_ value: String) { add(Array(value.utf8)) }
}

/// Decodes the bytes of ``PackedBytes``. Each method returns nil if the next bytes are not a value
/// of its type.
struct PackedReader: Sendable {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8? { rest.popFirst() }

  mutating func int64() -> Int64? { number(count: 8).map { Int64(bitPattern: $0) } }

  mutating func data() -> [UInt8]? {
    guard let count = number(count: 2), rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func string() -> String? {
    data().flatMap { String(validating: $0, as: UTF8.self) }
  }

  private mutating func number(count: Int) -> UInt64? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
