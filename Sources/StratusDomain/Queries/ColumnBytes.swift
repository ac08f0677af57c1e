/// Encodes the columns of an index so that their bytes sort as their values do.
///
/// A column is a tag and a value. The bytes of one column are never a prefix of another column's
/// bytes. Columns can therefore be concatenated, and all entries that share their first columns
/// form one contiguous range.
enum ColumnBytes {
  /// The maximum number of bytes of a text in a column. The rest of a longer text is left out.
  static let textBytesMax = 400
  /// The maximum number of bytes of a column: the tag, a text of ``textBytesMax`` bytes, and the
  /// end. Each byte of the text takes two bytes if all of them are `0x00`.
  static let columnBytesMax = 1 + 2 * textBytesMax + 2
  /// The maximum number of bytes of a distance in a position. In a position after all records at
  /// this distance, one more byte may follow the distance. It is counted here.
  static let distanceBytesMax = 10

  private static let missing: UInt8 = 0x01
  private static let whole: UInt8 = 0x10
  private static let real: UInt8 = 0x18
  private static let text: UInt8 = 0x20
  private static let cell: UInt8 = 0x28

  /// Returns the column of a value. If the value is nil, returns the column of a missing value.
  static func of(_ scalar: Scalar?) -> [UInt8] {
    switch scalar {
    case nil: return [missing]
    case .whole(let value): return number(whole, UInt64(bitPattern: value) ^ signBit)
    case .real(let value): return number(real, ordered(value))
    case .text(let bytes):
      var column = beginning(bytes)
      // NB: the column of a text ends with two bytes. A single 0 would become 0xFF in the inverted
      // order, where the end must not be the greatest byte.
      column.append(0)
      column.append(1)
      return column
    }
  }

  static func of(cell code: UInt64) -> [UInt8] { number(cell, code) }

  /// Returns the first bytes that the columns of all texts with this prefix have in common.
  static func beginning(_ prefix: [UInt8]) -> [UInt8] {
    var column: [UInt8] = [text]
    column.reserveCapacity(min(prefix.count, textBytesMax) + 3)
    for byte in prefix.prefix(textBytesMax) {
      column.append(byte)
      if byte == 0 { column.append(0xFF) }
    }
    return column
  }

  /// Returns the tag byte of a scalar's kind. The columns of all values of that kind begin with
  /// this byte.
  static func tag(of scalar: Scalar) -> [UInt8] {
    switch scalar {
    case .whole: [whole]
    case .real: [real]
    case .text: [text]
    }
  }

  /// Encodes a distance as bytes that sort as distances do.
  static func of(distance: Double) -> [UInt8] { number(real, ordered(distance)) }

  /// Reads the bytes that ``of(distance:)`` wrote, from the front of `bytes`.
  static func distance(_ bytes: [UInt8]) -> Double? {
    guard bytes.count >= 9, bytes[0] == real else { return nil }
    let pattern = bytes[1..<9].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Double(bitPattern: pattern & signBit != 0 ? pattern ^ signBit : ~pattern)
  }

  private static let signBit: UInt64 = 1 << 63

  private static func ordered(_ value: Double) -> UInt64 {
    let pattern = value.bitPattern
    return pattern & signBit == 0 ? pattern | signBit : ~pattern
  }

  private static func number(_ tag: UInt8, _ value: UInt64) -> [UInt8] {
    var column: [UInt8] = [tag]
    column.reserveCapacity(9)
    withUnsafeBytes(of: value.bigEndian) { column.append(contentsOf: $0) }
    return column
  }
}

/// A boundary in the order of columns. It lies before or after all columns that begin with `bytes`.
struct ColumnCut: Sendable, Hashable {
  var bytes: [UInt8]
  var isBehind: Bool

  /// The smallest bytes that sort after the cut, or nil if there are none.
  var start: [UInt8]? { isBehind ? bytes.successor : bytes }

  /// The same boundary in the inverted order.
  var opposite: ColumnCut { ColumnCut(bytes: bytes.inverted, isBehind: !isBehind) }
}

/// The range of one column between two cuts.
struct ColumnInterval: Sendable, Hashable {
  var lower: ColumnCut
  var upper: ColumnCut

  /// Creates the interval of all columns that begin with these bytes.
  init(beginning bytes: [UInt8]) {
    lower = ColumnCut(bytes: bytes, isBehind: false)
    upper = ColumnCut(bytes: bytes, isBehind: true)
  }

  init(lower: ColumnCut, upper: ColumnCut) {
    self.lower = lower
    self.upper = upper
  }

  /// The interval of the same values in the inverted order.
  var opposite: ColumnInterval { ColumnInterval(lower: upper.opposite, upper: lower.opposite) }

  func intersection(_ other: ColumnInterval) -> ColumnInterval {
    ColumnInterval(
      lower: lower.precedes(other.lower) ? other.lower : lower,
      upper: upper.precedes(other.upper) ? upper : other.upper)
  }

  var isEmpty: Bool { !lower.precedes(upper) }
}

extension ColumnCut {
  func precedes(_ other: ColumnCut) -> Bool {
    switch (start, other.start) {
    case (nil, _): false
    case (_, nil): true
    case (.some(let own), .some(let other)): own.precedes(other)
    }
  }
}

extension Array where Element == UInt8 {
  /// The smallest bytes that sort after all bytes with this beginning, or nil if there are none.
  var successor: [UInt8]? {
    var bytes = self
    while let last = bytes.popLast() {
      if last < 0xFF {
        bytes.append(last + 1)
        return bytes
      }
    }
    return nil
  }

  var inverted: [UInt8] { map { ~$0 } }
}
