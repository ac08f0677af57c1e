import Crypto

/// An account key as text, to be written on paper: 14 groups of four letters and digits. The text
/// ends with a checksum, which detects misread characters.
///
/// The alphabet is Crockford's base 32, without I, L, O and U. Lower-case letters are accepted. O
/// is read as 0, and I and L are read as 1.
public struct RecoveryKey: Sendable, Hashable {
  public let accountKey: AccountKey

  public init(_ accountKey: AccountKey) { self.accountKey = accountKey }

  /// Parses a recovery key that a person has typed.
  ///
  /// - Returns: nil if a character is wrong or missing.
  public init?(text: String) {
    var values: [UInt8] = []
    for scalar in text.uppercased().unicodeScalars {
      switch scalar {
      case "-", " ", "\t", "\n", "\r": continue
      case "O": values.append(0)
      case "I", "L": values.append(1)
      case _:
        guard let value = Self.letters.firstIndex(of: Character(scalar)) else { return nil }
        values.append(UInt8(value))
      }
    }
    guard values.count == Self.letterCount, let bytes = Self.bytes(of: values) else { return nil }
    let secret = Array(bytes.prefix(AccountKey.length))
    guard bytes.suffix(Self.checksumLength).elementsEqual(Self.checksum(of: secret)),
      let key = AccountKey(secret: secret)
    else { return nil }
    accountKey = key
  }

  /// The key as text, in groups of four characters.
  public var text: String {
    let bytes = accountKey.secret + Self.checksum(of: accountKey.secret)
    var text = ""
    var bits = 0
    var count = 0
    var written = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 5 {
        count -= 5
        if written > 0, written % 4 == 0 { text.append("-") }
        text.append(Self.letters[bits >> count & 31])
        written += 1
      }
      bits &= (1 << count) - 1
    }
    return text
  }

  private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let checksumLength = 3
  /// 35 bytes are 56 characters of five bits.
  private static let letterCount = (AccountKey.length + checksumLength) * 8 / 5

  private static func bytes(of values: [UInt8]) -> [UInt8]? {
    var bytes: [UInt8] = []
    var bits = 0
    var count = 0
    for value in values {
      bits = bits << 5 | Int(value)
      count += 5
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        bits &= (1 << count) - 1
      }
    }
    return count == 0 ? bytes : nil
  }

  private static func checksum(of secret: [UInt8]) -> [UInt8] {
    Array(SHA256.hash(data: Array("stratus recovery key 1".utf8) + secret).prefix(checksumLength))
  }
}

extension AccountKey {
  /// Eight hexadecimal digits that identify this key without revealing it.
  public var fingerprint: String {
    let hash = SHA256.hash(data: Array("stratus account key fingerprint 1".utf8) + secret)
    return hash.prefix(4).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
  }
}
