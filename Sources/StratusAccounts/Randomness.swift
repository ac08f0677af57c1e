/// A function that returns unpredictable bytes. The composition root provides it.
public typealias Randomness = @Sendable (_ count: Int) -> [UInt8]

extension [UInt8] {
  /// The bytes as lower-case hex digits.
  var hex: String {
    let digits = Array<UInt8>("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
