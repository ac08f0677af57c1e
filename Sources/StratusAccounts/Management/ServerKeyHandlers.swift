import Crypto
import StratusDomain
import StratusWire

/// Answers ``AddServerKey``.
struct AddServerKeyHandler: ManagementHandler {
  typealias Endpoint = AddServerKey

  let accounts: Accounts

  private static let nameLengthMax = 200

  func answer(
    _ request: AddServerKey.Request
  ) async throws(ServerError) -> AddServerKey.Response {
    try await accounts.requireContainer(request.containerID)
    let publicKey = try PublicKeyFile.key(request.publicKey)
    // Choice: each registration gets its own ID and user, even if the public key is registered
    // twice.
    let id = accounts.randomness(32).hex
    let key = ServerKey(
      id: id, publicKey: Array(publicKey.x963Representation),
      store: StoreAddress(container: request.containerID, environment: request.environment),
      name: String((request.name ?? "").prefix(Self.nameLengthMax)),
      userRecordName: accounts.names.userRecordName(
        serverKeyID: id, container: request.containerID),
      createdAt: accounts.ambient.now())
    try await accounts.registry.create(key)
    accounts.audit.noteChange("added the server-to-server key \(id) to \(key.store.inLog)")
    return AddServerKey.Response(id: id, userRecordName: key.userRecordName)
  }
}

/// Answers ``ListServerKeys``.
struct ListServerKeysHandler: ManagementHandler {
  typealias Endpoint = ListServerKeys

  let accounts: Accounts

  func answer(
    _ request: ListServerKeys.Request
  ) async throws(ServerError) -> ListServerKeys.Response {
    let items = try await accounts.registry.serverKeys().map { key in
      ListServerKeys.Item(
        id: key.id, containerID: key.store.container,
        environment: key.store.environment.rawValue, name: key.name,
        userRecordName: key.userRecordName, createdAt: key.createdAt, revokedAt: key.revokedAt)
    }
    return ListServerKeys.Response(keys: items)
  }
}

/// Answers ``RevokeServerKey``.
struct RevokeServerKeyHandler: ManagementHandler {
  typealias Endpoint = RevokeServerKey

  let accounts: Accounts
  /// Disconnects the listeners of ended sessions and of disabled users.
  let releaseEnded: @Sendable () async throws(ServerError) -> Void

  func answer(_ request: TokenIDRequest) async throws(ServerError) -> EmptyRequest {
    let isRevoked = try await accounts.registry.revokeServerKey(
      id: request.id, at: accounts.ambient.now())
    guard isRevoked else {
      throw ServerError(
        .notFound,
        "there is no valid server-to-server key '\(request.id.prefix(64))'; "
          + "see 'stratus server-key list'")
    }
    try accounts.journal(.serverKey, of: request.id)
    accounts.memory.forget()
    accounts.audit.noteChange("revoked the server-to-server key \(request.id)")
    try await releaseEnded()
    return EmptyRequest()
  }
}
