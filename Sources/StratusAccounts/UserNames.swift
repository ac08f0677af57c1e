import Crypto
import Foundation

/// Computes the user record names of an account. An account has a different name in each container,
/// and the names do not reveal that they belong to the same account.
struct UserNames: Sendable {
  private let key: SymmetricKey

  init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// Returns `_` and 32 hex digits: an HMAC of the container and the account.
  func userRecordName(accountID: String, container: String) -> String {
    let text = "user\u{0}\(container)\u{0}\(accountID)"
    let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    return "_" + Array(code.prefix(16)).hex
  }

  /// Returns the HMAC-SHA512 of a text, computed with the server's key.
  func code(_ text: String) -> [UInt8] {
    Array(HMAC<SHA512>.authenticationCode(for: Data(text.utf8), using: key))
  }

  /// Returns the user name of a server-to-server key. No account has this name, because account IDs
  /// contain no spaces.
  func userRecordName(serverKeyID: String, container: String) -> String {
    userRecordName(accountID: "server key " + serverKeyID, container: container)
  }
}
