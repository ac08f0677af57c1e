import StratusWire
import Testing

@testable import StratusDomain

/// Compares the order of index column bytes with the order of the values.
@Suite struct ColumnBytesOrder {
  private static let numbers: [Int64] = [
    .min, .min + 1, -1_000_000_007, -256, -255, -1, 0, 1, 127, 128, 255, 256, 1 << 40, .max - 1,
    .max,
  ]
  private static let reals: [Double] = [
    -.greatestFiniteMagnitude, -1e300, -3.5, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude,
    0, .leastNonzeroMagnitude, .leastNormalMagnitude, 0.1, 1, 1.000_000_1, 1e18, 1e300,
    .greatestFiniteMagnitude,
  ]
  private static let texts = [
    "", "\0", "\0\0", "\0\u{1}", "\u{1}", "A", "B", "a", "a\0", "a\0b", "a\u{1}", "aa", "ab", "b",
    "\u{7F}", "e\u{301}", "\u{E9}", "\u{FFFF}", "\u{1F600}",
  ]

  /// One list of values for each kind, in ascending order. The missing value comes first.
  private static func rows() -> [[Scalar?]] {
    [
      [nil] + numbers.map { .whole($0) }, [nil] + reals.map { .real(normal: $0) },
      [nil] + texts.map { .text(Array($0.utf8)) }.sorted(),
    ]
  }

  @Test
  func `the bytes of a column ascend with its values, and descend if the column is reversed`() {
    for row in Self.rows() {
      for (left, right) in zip(row, row.dropFirst()) {
        let low = ColumnBytes.of(left)
        let high = ColumnBytes.of(right)
        #expect(low.precedes(high), "\(String(describing: left)) \(String(describing: right))")
        #expect(high.inverted.precedes(low.inverted))
      }
    }
  }

  @Test func `the bytes of the next column do not affect a column's order`() {
    let ends: [[UInt8]] = [[], [0x01], [0xFE], [0xFF, 0xFF], ColumnBytes.of(.text([0xFF]))]
    for row in Self.rows() {
      for (left, right) in zip(row, row.dropFirst()) {
        for end in ends {
          for other in ends {
            #expect((ColumnBytes.of(left) + end).precedes(ColumnBytes.of(right) + other))
            let low = ColumnBytes.of(left).inverted + end
            #expect((ColumnBytes.of(right).inverted + other).precedes(low))
          }
        }
      }
    }
  }

  @Test func `minus zero and zero have the same column bytes`() {
    #expect(ColumnBytes.of(.real(normal: -0.0)) == ColumnBytes.of(.real(normal: 0)))
  }

  @Test func `a prefix interval contains exactly the texts with that prefix`() {
    for prefix in ["", "a", "a\0", "\0", "e"] {
      let interval = ColumnInterval(beginning: ColumnBytes.beginning(Array(prefix.utf8)))
      for text in Self.texts {
        let bytes = ColumnBytes.of(.text(Array(text.utf8)))
        let begins = text.utf8.starts(with: prefix.utf8)
        #expect(interval.holds(bytes) == begins, "\(prefix.debugDescription) \(text)")
        #expect(interval.opposite.holds(bytes.inverted) == begins)
      }
      #expect(!interval.holds(ColumnBytes.of(nil)))
    }
  }

  @Test func `a range interval contains exactly the values between its bounds`() {
    let values = Self.numbers.map { Scalar.whole($0) }
    for lower in values {
      for upper in values {
        for (isLower, isUpper) in [(true, true), (true, false), (false, true), (false, false)] {
          let range = ScalarRange(
            lower: .init(value: lower, isIncluded: isLower),
            upper: .init(value: upper, isIncluded: isUpper))
          for value in values {
            #expect(range.interval.holds(ColumnBytes.of(value)) == range.contains(value))
          }
        }
      }
    }
  }

  @Test func `the joined bytes of a text and a number sort like the pairs of values`() {
    var chance = RepeatedChance(seed: 7)
    var rows: [[Scalar]] = []
    for _ in 0..<400 {
      var text: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<4, using: &chance) {
        text.append(([0, 1, 0x61, 0x7F, 0xC3, 0xFE] as [UInt8]).randomElement(using: &chance) ?? 0)
      }
      let number = Int64.random(in: -3...3, using: &chance)
      rows.append([.text(text), .whole(number)])
    }
    for left in rows {
      for right in rows {
        let order = left[0] == right[0] ? left[1] < right[1] : left[0] < right[0]
        let one = left.flatMap { ColumnBytes.of($0) }
        let other = right.flatMap { ColumnBytes.of($0) }
        #expect(one.precedes(other) == order)
      }
    }
  }

  @Test func `an encoded distance decodes to the same value`() {
    for metres in [0, 0.25, 1e7, .infinity] {
      #expect(ColumnBytes.distance(ColumnBytes.of(distance: metres)) == metres)
    }
  }

  @Test func `long texts in index columns are truncated and marked as truncated`() {
    let long = [UInt8](repeating: 0x61, count: 401)
    let short = [UInt8](repeating: 0x61, count: 399)
    #expect(ColumnBytes.of(.text(long)) == ColumnBytes.of(.text(long + long)))
    #expect(!Scalar.text(long).fitsColumn)
    #expect(!Scalar.text(Array(long.prefix(400))).fitsColumn)
    #expect(Scalar.text(short).fitsColumn)
  }
}

extension ColumnInterval {
  fileprivate func holds(_ bytes: [UInt8]) -> Bool {
    guard let from = lower.start else { return false }
    let isBelow = bytes.precedes(from)
    return !isBelow && (upper.start.map { bytes.precedes($0) } ?? true)
  }
}

/// A random number generator with a seed (SplitMix64).
struct RepeatedChance: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
