/// The number of rows of a table, and a checksum over them that does not depend on their order.
///
/// The checksum finds errors of the copying and of the disks. It does not resist an attacker.
public struct TableTally: Sendable, Hashable {
  public private(set) var rows: Int64 = 0
  private var sum: UInt64 = 0
  private var mixedSum: UInt64 = 0

  public init() {}

  /// Adds a row. Its values must be in the order of the table's columns.
  public mutating func add(_ values: [SQLValue]) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for value in values {
      switch value {
      case .null: hash = Self.mix(hash, 1)
      case .integer(let number): hash = Self.mix(Self.mix(hash, 2), UInt64(bitPattern: number))
      case .text(var text): text.withUTF8 { hash = Self.mix(hash, UnsafeRawBufferPointer($0)) }
      case .bytes(let bytes): bytes.withUnsafeBytes { hash = Self.mix(hash, $0) }
      }
    }
    rows += 1
    sum &+= hash
    mixedSum &+= Self.mix(hash, 3)
  }

  private static func mix(_ hash: UInt64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = mix(mix(hash, 4), UInt64(bytes.count))
    var position = 0
    while position + 8 <= bytes.count {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position += 8
    }
    var rest: UInt64 = 0
    for byte in bytes[position...] { rest = rest << 8 | UInt64(byte) }
    return mix(hash, rest)
  }

  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    ((hash ^ word) &+ .mixStep).mixed
  }
}
