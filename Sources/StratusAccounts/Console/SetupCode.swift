import Synchronization

/// The text with which the operator of a new server makes the first owner of the team.
///
/// The server creates a code at each start as long as the team has no owner, and prints it. It
/// keeps only the hash.
final class SetupCode: Sendable {
  private let hash: Mutex<[UInt8]?>

  /// Creates a code, and returns its text as the server prints it. Only the caller gets the text.
  static func make(_ randomness: Randomness) -> (text: String, code: SetupCode) {
    let text = CodeText.make(randomness)
    return (text, SetupCode(text))
  }

  private init(_ text: String) {
    hash = Mutex(CodeText.signs(of: text).map(Digest.sha256))
  }

  /// Whether a typed text is the code.
  func accepts(_ typed: String) -> Bool {
    guard let typedHash = CodeText.signs(of: typed).map(Digest.sha256) else { return false }
    return hash.withLock { hash in
      guard let hash, hash.count == typedHash.count else { return false }
      return zip(hash, typedHash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }

  /// Makes the code void, because the team has an owner.
  func end() { hash.withLock { $0 = nil } }
}
