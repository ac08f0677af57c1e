/// A server-to-server key. A program signs its requests with the private half, which the server
/// never has.
public struct ServerKey: Sendable, Hashable {
  /// The key ID in requests, which has 64 hex digits.
  public var id: String
  /// The public half: the 65 bytes of an uncompressed point on P-256 (X9.63).
  public var publicKey: [UInt8]
  public var store: StoreAddress
  /// The operator's name for the key, which may be empty.
  public var name: String
  /// The record name of the user who owns the records that the key writes.
  public var userRecordName: String
  /// The time of creation, in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time of the revocation, in milliseconds since 1970 UTC, or nil if the key is valid.
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
/// Revoked keys stay in the registry, because the server treats the user of a revoked key as a
/// disabled user.
public protocol ServerKeyRegistry: Sendable {
  func create(_ key: ServerKey) async throws(ServerError)
  /// Returns the key with this ID, even if it is revoked.
  func serverKey(id: String) async throws(ServerError) -> ServerKey?
  /// Returns all keys, sorted by container, environment, time of creation and ID.
  func serverKeys() async throws(ServerError) -> [ServerKey]
  /// Revokes a key.
  ///
  /// - Returns: false if there is no valid key with this ID.
  func revokeServerKey(id: String, at time: Int64) async throws(ServerError) -> Bool
  /// Returns the users of the revoked keys of a container, unsorted.
  func usersOfRevokedKeys(in container: String) async throws(ServerError) -> [String]
}
