import Synchronization

/// The text with which the operator of a new server makes the first owner of the team.
///
/// The server creates a code at each start as long as the team has no owner, and prints it. It
/// keeps only the hash.
final class SetupCode: Sendable {
  /// The digits of Crockford's base 32. It has no I, L, O and U, which people confuse.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
  private static let digitsCount = 16
  private static let groupCount = 4

  private let hash: Mutex<[UInt8]?>

  /// The code as the server prints it: four groups of four digits. Only the creator of the code
  /// sees it.
  static func make(_ randomness: Randomness) -> (text: String, code: SetupCode) {
    // 256 is a multiple of 32, so all digits are equally likely.
    let signs = randomness(digitsCount).map { digits[Int($0 & 31)] }
    let text = String(decoding: signs, as: UTF8.self)
    let groups = stride(from: 0, to: digitsCount, by: groupCount).map { start in
      String(decoding: signs[start..<start + groupCount], as: UTF8.self)
    }
    return (groups.joined(separator: "-"), SetupCode(text))
  }

  private init(_ text: String) { hash = Mutex(Digest.sha256(Array(text.utf8))) }

  /// Whether a typed text is the code. Hyphens, spaces and lower case do not matter, and the
  /// letters I, L and O count as the digits that they resemble.
  func accepts(_ typed: String) -> Bool {
    // NB: the bound keeps a long text from being hashed.
    guard typed.utf8.count <= 64 else { return false }
    let signs = typed.uppercased().utf8.compactMap { sign -> UInt8? in
      switch sign {
      case UInt8(ascii: "-"), UInt8(ascii: " "): nil
      case UInt8(ascii: "I"), UInt8(ascii: "L"): UInt8(ascii: "1")
      case UInt8(ascii: "O"): UInt8(ascii: "0")
      default: sign
      }
    }
    let typedHash = Digest.sha256(signs)
    return hash.withLock { hash in
      guard let hash, hash.count == typedHash.count else { return false }
      return zip(hash, typedHash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  /// Makes the code void, because the team has an owner.
  func end() { hash.withLock { $0 = nil } }
}
