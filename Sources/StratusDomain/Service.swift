public import StratusWire

/// The handlers of all requests for the data of containers, and of the operator's requests about
/// schemas and settings. The module `StratusAccounts` handles the operator's other requests, for
/// example about accounts, tokens and the creation of containers.
public struct Service: Sendable {
  /// One handler for each endpoint for apps.
  public let handlers: [any EndpointHandler]

  /// The handlers of the operator's endpoints for schemas, indexes and the settings of containers.
  public let managementHandlers: [any ManagementHandler]

  /// Receives the bytes sent to upload URLs.
  public let uploads: AssetUploads

  /// Opens the files of download URLs.
  public let downloads: AssetDownloads

  /// Admits listeners for notifications.
  public let listening: ListeningAccess

  /// Restores records to earlier states.
  public let restorer: VersionRestorer

  /// Finds and accepts shares for the server's own pages.
  public let shareDesk: ShareDesk

  /// Removes the data of deleted accounts.
  public let userRemoval: UserRemoval

  /// Reads the data of users, so that they can export it.
  public let userExport: UserExport

  /// Writes the data of an export into the databases of a user.
  public let userImport: UserImport

  /// Creates a container before a principal's first write to it, on a development server.
  public typealias CreateContainer =
    @Sendable (_ id: String, _ principal: Principal) async throws(ServerError) -> Void

  /// - Parameters:
  ///   - cascades: gets a signal when a store may have to continue a cascade, or a move of records
  ///     to another hierarchy.
  ///   - changes: gets a signal when a store has new outbox entries.
  ///   - queues: gets a signal when a device registers a token and already has waiting
  ///     notifications.
  ///   - limits: the limits of the server. The handlers do not use its request rates.
  ///   - pollHoldSeconds: the maximum number of seconds that a poll waits for a notification.
  ///   - uses: remembers which indexes queries read.
  ///   - shareAccounts: finds the e-mail addresses of users, by which shares may invite the users.
  ///   - invitations: tells people that a share invites them.
  ///   - people: reads the profiles of users, and finds users for other users.
  ///   - createContainer: creates a container that does not exist yet.
  ///   - requireOpenAccount: throws if a user's account is disabled or restricted.
  public init(
    stores: any StoreCatalog, containers: any ContainerRegistry, assets: any AssetStore,
    signer: any TicketSigner, ambient: Ambient, cascades: any Signals = LocalSignals(),
    changes: any Signals = LocalSignals(), queues: any Signals = LocalSignals(),
    limits: LimitSettings = .unpaced, pollHoldSeconds: Int64 = 30, uses: IndexUses = IndexUses(),
    shareAccounts: ShareAccounts = .none,
    invitations: any ShareInvitations = NoShareInvitations(),
    people: any UserDirectory = NoUserDirectory(),
    createContainer: @escaping CreateContainer = { _, _ in },
    requireOpenAccount: @escaping AssetUploads.RequireOpenAccount = { _, _ in }
  ) {
    let tickets = AssetTickets(signer: signer, direct: assets.directDownloads)
    uploads = AssetUploads(
      stores: stores, assets: assets, tickets: tickets, ambient: ambient,
      requireOpenAccount: requireOpenAccount,
      unheld: UnheldBytes(
        perUserMax: limits.unheldBytesPerUserMax, perStoreMax: limits.unheldBytesPerStoreMax))
    downloads = AssetDownloads(
      stores: stores, assets: assets, tickets: tickets, ambient: ambient)
    let users = UserRecords(ambient: ambient)
    let changer = SchemaChanger(stores: stores, containers: containers, ambient: ambient)
    managementHandlers = [
      ExportSchemaHandler(changer: changer),
      DescribeSchemaHandler(changer: changer),
      ExplainPermissionsHandler(changer: changer),
      ChangeSchemaHandler(changer: changer),
      DeploySchemaHandler(changer: changer),
      ResetSchemaHandler(changer: changer, users: users),
      ListIndexesHandler(changer: changer, uses: uses, ambient: ambient),
      DropIndexHandler(changer: changer),
      RetireSchemaHandler(changer: changer),
      ListRetirementsHandler(changer: changer),
      ConfigureContainerHandler(stores: stores, containers: containers, ambient: ambient),
    ]
    let databases = DatabaseAccess(
      stores: stores, users: users, tickets: tickets, ambient: ambient,
      createContainer: createContainer)
    userRemoval = UserRemoval(
      tickets: tickets, ambient: ambient, cascades: cascades, changes: changes)
    userExport = UserExport(assets: assets)
    let shares = ShareDirectory(databases: databases, accounts: shareAccounts)
    shareDesk = ShareDesk(
      directory: shares, containers: containers, stores: stores, changes: changes)
    let discovery = UserDiscovery(
      databases: databases, people: people, pace: LookupPace(perHour: limits.userLookupsPerHour),
      ambient: ambient)
    let devices = DeviceAccess(databases: databases, ambient: ambient)
    let couriers = CourierTokens(signer: signer)
    listening = ListeningAccess(
      devices: devices, tokens: couriers,
      slots: StreamSlots(countMax: limits.streamsPerUserMax), holdSeconds: pollHoldSeconds)
    let modify = ModifyRecordsHandler(
      databases: databases, ambient: ambient, cascades: cascades, changes: changes,
      writers: ZoneWriters(countMax: limits.zoneWritersMax), invitations: invitations)
    restorer = VersionRestorer(
      stores: stores, tickets: tickets, ambient: ambient, handler: modify)
    userImport = UserImport(
      databases: databases, assets: assets, ambient: ambient, saves: modify, changes: changes)
    handlers = [
      modify,
      LookupRecordsHandler(databases: databases),
      QueryRecordsHandler(databases: databases, buildRowsMax: limits.indexBuildRowsMax, uses: uses),
      FetchRecordChangesHandler(databases: databases),
      ListZonesHandler(databases: databases),
      LookupZonesHandler(databases: databases),
      ModifyZonesHandler(databases: databases, ambient: ambient, changes: changes),
      FetchZonesHandler(databases: databases),
      FetchDatabaseChangesHandler(databases: databases),
      FetchZoneChangesHandler(databases: databases),
      UploadAssetsHandler(databases: databases, ambient: ambient),
      RereferenceAssetsHandler(databases: databases, ambient: ambient),
      ResolveSharesHandler(directory: shares),
      AcceptSharesHandler(directory: shares, changes: changes),
      RequestShareAccessHandler(directory: shares, changes: changes),
      FetchCallerHandler(databases: databases, people: people),
      FetchCurrentUserHandler(databases: databases, people: people),
      IssueWebTokenHandler(databases: databases, people: people),
      DiscoverUsersHandler(discovery: discovery),
      LookupUsersHandler(LookupUsersByEmail.self, discovery: discovery),
      LookupUsersHandler(LookupUsersByName.self, discovery: discovery),
      LookupContactsHandler(discovery: discovery),
      CreateTokenHandler(devices: devices, tokens: couriers),
      RegisterTokenHandler(devices: devices, tokens: couriers, queues: queues),
      AcknowledgeNotificationsHandler(devices: devices),
      FetchNotificationsHandler(devices: devices),
      MarkNotificationsReadHandler(devices: devices),
      SetBadgeHandler(devices: devices),
      FetchKeysHandler(databases: databases),
      RegisterUserKeyHandler(databases: databases),
      WrapZoneKeyHandler(databases: databases),
      ResetKeysHandler(databases: databases, ambient: ambient, changes: changes),
      ListSubscriptionsHandler(databases: databases),
      LookupSubscriptionsHandler(databases: databases),
      ModifySubscriptionsHandler(databases: databases, ambient: ambient),
    ]
  }
}
