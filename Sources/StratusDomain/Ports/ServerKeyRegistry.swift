/// A server-to-server key: a program signs its requests with the private half, which the server
/// never has (web-auth §4).
public struct ServerKey: Sendable, Hashable {
  /// The key ID in requests: 64 hex digits.
  public var id: String
  /// The public half, an uncompressed point on P-256 (X9.63): 65 bytes.
  public var publicKey: [UInt8]
  public var store: StoreAddress
  /// The operator's name for the key; may be empty.
  public var name: String
  /// The user in the container that owns what the key writes.
  public var userRecordName: String
  /// Milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// Milliseconds since 1970 UTC; nil: the key is valid.
  public var revokedAt: Int64?

  public init(
    id: String, publicKey: [UInt8], store: StoreAddress, name: String = "",
    userRecordName: String, createdAt: Int64, revokedAt: Int64? = nil
  ) {
    self.id = id
    self.publicKey = publicKey
    self.store = store
    self.name = name
    self.userRecordName = userRecordName
    self.createdAt = createdAt
    self.revokedAt = revokedAt
  }
}

/// Stores server-to-server keys.
///
/// Revoked keys stay, so that their users are known to be disabled.
public protocol ServerKeyRegistry: Sendable {
  func create(_ key: ServerKey) async throws(ServerError)
  /// The key with this ID, revoked or not.
  func serverKey(id: String) async throws(ServerError) -> ServerKey?
  /// All keys, sorted by container, environment, time of creation and ID.
  func serverKeys() async throws(ServerError) -> [ServerKey]
  /// Revokes a key.
  ///
  /// - Returns: false if there is no valid key with this ID.
  func revokeServerKey(id: String, at time: Int64) async throws(ServerError) -> Bool
  /// The users of the revoked keys of a container, unsorted.
  func usersOfRevokedKeys(in container: String) async throws(ServerError) -> [String]
}
