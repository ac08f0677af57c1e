import Crypto
import Foundation
import StratusDomain

/// The hash function for stored secrets. It need not be slow, because these secrets are long and
/// random.
public enum Digest {
  /// The SHA-256 hash of the bytes.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: Data(bytes))) }
}

extension APIToken {
  /// Creates the stored form of a token. It contains the token's hash instead of the token's text.
  ///
  /// - Parameter text: the token, which is 64 hex digits.
  init(
    text: String, store: StoreAddress, name: String = "", allowedOrigins: Set<String>? = nil,
    callback: SignInCallback = .postMessage, createdAt: Int64?
  ) {
    let hash = Self.hash(ofText: text)
    self.init(
      id: Array(hash.prefix(8)).hex, hash: hash, store: store, name: name,
      allowedOrigins: allowedOrigins, callback: callback, createdAt: createdAt)
  }

  static func hash(ofText text: String) -> [UInt8] { Digest.sha256(Array(text.utf8)) }
}
