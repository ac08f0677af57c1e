/// Creates record names of 32 characters. The same number always gives the same name. The order of
/// the names differs from the order of the numbers, so the names are as unordered as UUIDs.
enum RecordName {
  static let count = 32
  /// In the template of a request, this text stands for a name that is inserted later.
  static let placeholder = String(repeating: "@", count: count)

  private static let digits = Array("0123456789abcdef".utf8)

  static func text(_ number: UInt64) -> String {
    var bytes = [UInt8](repeating: 0, count: count)
    write(number, to: &bytes, at: 0)
    return String(decoding: bytes, as: UTF8.self)
  }

  static func write(_ number: UInt64, to bytes: inout [UInt8], at offset: Int) {
    var word = scatter(number)
    for position in 0..<count {
      if position == 16 { word = scatter(word ^ number) }
      bytes[offset + position] = digits[Int(word & 15)]
      word >>= 4
    }
  }

  /// Maps neighbouring numbers to numbers that are far apart (the last step of SplitMix64).
  static func scatter(_ number: UInt64) -> UInt64 {
    var word = number &+ 0x9E37_79B9_7F4A_7C15
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
