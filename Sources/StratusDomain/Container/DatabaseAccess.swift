public import StratusWire

/// Opens the database that a request names.
struct DatabaseAccess: Sendable {
  /// The purpose for which a request opens a database.
  enum Purpose {
    /// The endpoint may write. A development server creates a container that does not exist yet.
    case write
    /// The endpoint only reads. On a development server, a container that does not exist yet is
    /// read as an empty one.
    case read
  }

  let stores: any StoreCatalog
  let users: UserRecords
  let tickets: AssetTickets
  let ambient: Ambient
  let createContainer: Service.CreateContainer

  /// Opens the database that a request names.
  ///
  /// - Parameter needsUser: whether the endpoint requires a signed-in user in every database.
  /// - Throws: `AUTHENTICATION_REQUIRED` if the request needs a user and the caller is not signed
  ///   in; `AUTHENTICATION_FAILED` if a server-to-server key opens the private or the shared
  ///   database; `BAD_REQUEST` if the host in the server's URL is too long; the errors of the
  ///   store.
  func open(
    _ address: DatabaseAddress, for caller: Caller, to purpose: Purpose = .write,
    needsUser: Bool = false
  ) async throws(ServerError) -> OpenDatabase {
    if needsUser { _ = try caller.requireUser() }
    if caller.isServerKey, address.scope != .public {
      throw ServerError(.authenticationFailed, Reason.serverKeyInPublicOnly)
    }
    guard caller.serverURL.utf8.count <= Limits.serverURLBytesMax else {
      throw .badRequest(Reason.hostTooLong)
    }
    let view: DatabaseView =
      switch address.scope {
      case .public: .public
      case .private: .private(user: try caller.requireUser())
      case .shared: .shared(user: try caller.requireUser())
      }
    let (store, isStandIn) = try await store(
      of: view.home, at: address.store, for: caller, to: purpose)
    if let user = caller.userRecordName {
      try await users.ensure(
        user, in: store, at: address.store, isStandIn: isStandIn,
        hasPrivateDatabase: !caller.isServerKey)
    }
    return OpenDatabase(
      store: store, address: address.store, view: view, caller: caller, tickets: tickets,
      openedAt: ambient.now())
  }

  private func store(
    of database: DatabaseKey, at address: StoreAddress, for caller: Caller, to purpose: Purpose
  ) async throws(ServerError) -> (store: any Store, isStandIn: Bool) {
    if caller.createsContainer {
      switch purpose {
      case .read: return try await stores.storeToRead(at: address)
      case .write: try await createContainer(address.container, caller.principal)
      }
    }
    return (try await stores.store(of: database, at: address), false)
  }
}

extension Caller {
  /// Returns the user's record name.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in.
  func requireUser() throws(ServerError) -> String {
    guard let userRecordName else {
      throw ServerError(.authenticationRequired, Reason.authenticationRequired)
    }
    return userRecordName
  }

  /// Returns the user's record name, for endpoints about users.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in; `AUTHENTICATION_FAILED`
  ///   for a server-to-server key.
  func requireAccount() throws(ServerError) -> String {
    if isServerKey { throw ServerError(.authenticationFailed, Reason.serverKeyIsNoAccount) }
    return try requireUser()
  }

  /// Whether the caller signs its requests with a server-to-server key.
  public var isServerKey: Bool { if case .serverKey = principal { true } else { false } }
}

/// A database that a caller has opened.
///
/// NB: this is a class because it is passed to many functions, and a copy of the caller would take
/// longer than some of them.
final class OpenDatabase: Sendable {
  let store: any Store
  let address: StoreAddress
  let caller: Caller
  /// The rights of the caller in this database.
  let policy: AccessPolicy
  private let tickets: AssetTickets
  private let openedAt: Int64

  /// - Parameters:
  ///   - openedAt: milliseconds since 1970 UTC. The lifetimes of asset URLs and receipts start at
  ///     this time.
  ///   - restores: see ``AccessPolicy/restores``.
  init(
    store: any Store, address: StoreAddress, view: DatabaseView, caller: Caller,
    tickets: AssetTickets, openedAt: Int64, restores: Bool = false
  ) {
    self.store = store
    self.address = address
    self.caller = caller
    policy = AccessPolicy(view: view, user: caller.userRecordName, restores: restores)
    self.tickets = tickets
    self.openedAt = openedAt
  }

  var view: DatabaseView { policy.view }
  var environment: ContainerEnvironment { address.environment }

  /// Encrypts the continuation markers of queries.
  var signer: any TicketSigner { tickets.signer }

  /// Returns a value that creates the URLs and receipts of assets in the zones of one database.
  func assets(of database: DatabaseKey) -> AssetLinks {
    AssetLinks(
      tickets: tickets, address: address, database: database, serverURL: caller.serverURL,
      now: openedAt)
  }
}

extension ServerError {
  /// Returns the error as the caller sees it. If production's schema lacks a part and this caused
  /// the error, the ``ProductionLack`` is added to ``Caller/lacks``.
  public func dictionary(for caller: Caller) -> ErrorDictionary {
    if let lack { caller.lacks.note(lack) }
    return ErrorDictionary(
      code: code, reason: reason, uuid: caller.requestUUID,
      retryAfterSeconds: retryAfterSeconds,
      redirectURL: code == .authenticationRequired ? caller.signInURL : nil,
      userDidResetEncryptedData: userDidResetEncryptedData)
  }
}
