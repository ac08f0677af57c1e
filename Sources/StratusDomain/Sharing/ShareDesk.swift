public import StratusWire

/// Finds and accepts shares for the server's own pages, which know an account but no container.
///
/// The desk uses the same code as the endpoints, so a page can never show more than
/// `records/resolve`, or do more than `records/accept` and `records/access`.
public struct ShareDesk: Sendable {
  let directory: ShareDirectory
  let containers: any ContainerRegistry
  let stores: any StoreCatalog
  let changes: any Signals

  /// A share, as its page shows it to a user who may see it.
  public struct Offer: Sendable {
    public var store: StoreAddress
    /// The title, or nil if the share has none.
    public var title: String?
    /// The bytes of the picture, or nil if the share has none.
    public var thumbnail: [UInt8]?
    /// The user record name of the owner.
    public var owner: String
    public var role: ShareParticipant.Role
    public var status: ShareParticipant.Status
    public var permission: SharePermissionName
    /// The operator's settings of the container.
    public var settings: ContainerSettings
  }

  /// Returns the stores that may contain a share, usually one. The ID alone decides, so the result
  /// does not tell whether there is such a share.
  public func candidates(for shortGUID: String) async throws(ServerError) -> [StoreAddress] {
    guard ShareGUID.isPlausible(shortGUID) else { return [] }
    let routing = shortGUID.prefix(3)
    return try await containers.containers().flatMap { container in
      ContainerEnvironment.allCases.map {
        StoreAddress(container: container, environment: $0)
      }
    }.filter { ShareGUID.routing(of: $0) == routing }
  }

  /// Whether a text has the form of a share's ID.
  public static func isPlausible(_ shortGUID: String) -> Bool {
    ShareGUID.isPlausible(shortGUID)
  }

  /// Returns the share with this ID as the caller sees it. Returns nil if there is no such share,
  /// or if the caller may not see it.
  ///
  /// The method writes nothing, not even the caller's user record.
  ///
  /// - Parameter addresses: the addresses of the caller's account, as in ``ShareAccounts``.
  public func offer(
    _ shortGUID: String, to caller: Caller, addresses: [String], at store: StoreAddress
  ) async throws(ServerError) -> Offer? {
    let user = try caller.requireAccount()
    let (opened, _) = try await stores.storeToRead(at: store)
    let search = ShareSearch(
      database: OpenDatabase(
        store: opened, address: store, view: .public, caller: caller,
        tickets: directory.databases.tickets, openedAt: directory.databases.ambient.now()),
      user: user, addresses: addresses)
    let wanted = ShortGUID(value: shortGUID, shouldFetchRootRecord: false)
    let finding = try await opened.read { (store) throws(ServerError) in
      try search.find(wanted, in: store)
    }
    guard case .share(let found) = finding else { return nil }
    return try await offer(try search.shown(found, as: wanted), at: store)
  }

  /// Joins the share with this ID.
  ///
  /// - Parameter addresses: the addresses of the caller's account, as in ``ShareAccounts``.
  /// - Returns: false if there is no such share, or if the caller may not join it.
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in; `TRY_AGAIN_LATER`;
  ///   `BAD_REQUEST` if the share or the caller has reached a limit.
  public func accept(
    _ shortGUID: String, as caller: Caller, addresses: [String], at store: StoreAddress
  ) async throws(ServerError) -> Bool {
    let handler = AcceptSharesHandler(directory: directory(of: addresses), changes: changes)
    let result = try await handler.answer(
      Self.request(shortGUID), to: caller, in: Self.publicDatabase(store)
    ).results.first
    switch result {
    case .share: return true
    case .failure(_, let error):
      if error.code == .notFound { return false }
      throw ServerError(error.code, error.reason, retryAfterSeconds: error.retryAfterSeconds)
    case nil: return false
    }
  }

  /// The directory for an account with these addresses. The registry may not know yet that the
  /// account is a user of the container.
  private func directory(of addresses: [String]) -> ShareDirectory {
    ShareDirectory(
      databases: directory.databases,
      accounts: ShareAccounts { (_, _) throws(ServerError) in addresses })
  }

  /// Asks the owner for access. The method returns nothing, so that its caller cannot tell whether
  /// there is such a share.
  ///
  /// - Throws: `AUTHENTICATION_REQUIRED` if the caller is not signed in; the errors of opening the
  ///   store; `INTERNAL_ERROR`.
  public func requestAccess(
    to shortGUID: String, for caller: Caller, addresses: [String], at store: StoreAddress
  ) async throws(ServerError) {
    let handler = RequestShareAccessHandler(directory: directory(of: addresses), changes: changes)
    _ = try await handler.answer(
      Self.request(shortGUID), to: caller, in: Self.publicDatabase(store))
  }

  private static func request(_ shortGUID: String) -> ResolveShares.Request {
    ResolveShares.Request(shortGUIDs: [
      ShortGUID(value: shortGUID, shouldFetchRootRecord: false)
    ])
  }

  private static func publicDatabase(_ store: StoreAddress) -> DatabaseAddress {
    DatabaseAddress(store: store, scope: .public)
  }

  private func offer(
    _ share: ResolvedShare, at store: StoreAddress
  ) async throws(ServerError) -> Offer {
    let (opened, _) = try await stores.storeToRead(at: store)
    let settings = try await opened.read { (store) throws(ServerError) in
      try store.schema().settings
    }
    var offer = Offer(
      store: store, owner: share.owner.userRecordName ?? "", role: share.participantRole,
      status: share.participantStatus, permission: share.participantPermission,
      settings: settings)
    do throws(WireError) {
      let fields = try share.share.fields.values(of: [
        ShareRecord.titleField, ShareRecord.thumbnailField,
      ])
      if case .string(let title)? = fields[ShareRecord.titleField] { offer.title = title }
      if case .bytes(let bytes)? = fields[ShareRecord.thumbnailField] { offer.thumbnail = bytes }
    } catch {
      throw .fault("the fields of a share cannot be read", facts: ["reason": error.reason])
    }
    return offer
  }
}
