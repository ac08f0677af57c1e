/// A secret of the server's own, by which it knows what it has handed out.
public struct SigningKey: Sendable, Hashable {
  /// Counts the keys of one purpose from 1, so the newest has the highest.
  public var id: UInt32
  public var bytes: [UInt8]

  public init(id: UInt32, bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
  }
}

/// Keeps the server's own keys, apart from its data: a thief of both could sign in as any user.
public protocol SigningKeyStore: Sendable {
  /// The keys for a purpose, the newest first; there is at least one from the first call on.
  ///
  /// - Parameters:
  ///   - purpose: lower-case words with hyphens.
  ///   - fresh: the bytes of the first key, if there is none.
  func keys(for purpose: String, orKeep fresh: [UInt8]) throws(ServerError) -> [SigningKey]

  /// Makes a new key the newest; of the others only the newest stays.
  func rotate(_ purpose: String, to fresh: [UInt8]) throws(ServerError)
}

/// The purposes of the server's own keys.
public enum SigningPurpose {
  public static let webAuthTokens = "web-auth-tokens"
  public static let userNames = "user-names"
  public static let assetTickets = "asset-tickets"
  public static let developerAPIToken = "developer-api-token"
}
