import Crypto
import Foundation

/// Gives each account a separate user record name in each container. The names of two containers
/// cannot be linked to one account.
struct UserNames: Sendable {
  private let key: SymmetricKey

  init(secret: [UInt8]) { key = SymmetricKey(data: secret) }

  /// `_` and 32 hex digits: an HMAC of the container and the account.
  func userRecordName(accountID: String, container: String) -> String {
    let text = "user\u{0}\(container)\u{0}\(accountID)"
    let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
    return "_" + Array(code.prefix(16)).hex
  }
}
