public import Foundation
public import Logging
public import StratusAccounts
import StratusAssets
public import StratusDomain
public import StratusHTTP
public import StratusPush
import StratusSQL
import StratusSQLite
public import StratusWire

/// Creates and connects the parts of a server. Both the server process and tests use this type.
public struct Composition: Sendable {
  public let accounts: Accounts
  /// The router for all requests, without a socket.
  public let router: Router
  /// The token that authorizes the operator's commands.
  public let managementToken: String
  let stores: any OpenStoreCatalog
  /// The signals that cascades must be continued.
  let cascades: any Signals
  /// The signals that changes may cause notifications.
  let changes: any Signals
  /// Assigns custom roles to users.
  public let roles: UserRoles
  /// Counts the requests that production refused because it lacks a part of the schema.
  let radar: ProductionRadar
  /// Keeps the newest requests, if the server has a console or a log on disk.
  public let requestLog: RequestLog
  /// Remembers what the devices of users did lately.
  let timelines = DeviceTimelines()
  /// Tells the pages of the console what has changed.
  public let news = ConsoleNews()
  /// Remembers which indexes queries use.
  let uses = IndexUses()
  /// Lets zones with large moves between shared hierarchies take turns.
  let turns = HierarchyTurnsOfStores()
  /// The signals that queues have new notifications.
  let queues: any Signals
  /// The signals to other processes that a store has new notifications.
  let newsOfOthers: any Signals
  /// Deletes accounts.
  public let remover: AccountRemover
  /// The locks and leases of background work, for several processes with the same stores.
  let locks: any WorkLocks
  let assets: any AssetStore
  /// Delivers notifications to the clients that listen for them.
  public let hub: Hub
  /// Whether this node will be stopped.
  let draining = Draining()
  /// The rate limits of callers.
  private let pace: CallerPace
  let ambient: Ambient
  private let storage: ServerStorage
  private let logger: Logger

  /// - Parameters:
  ///   - postgres: see ``Settings/postgres``.
  ///   - s3: see ``Settings/assets``.
  ///   - publicURL: see ``Settings/publicURL``.
  ///   - limits: see ``Settings/limits``.
  ///   - push: the settings for delivering notifications to listeners.
  ///   - mail: the settings for mails and sign-up, or nil if the server offers neither.
  ///   - providers: the identity providers at which users can sign in, or nil if there are none.
  ///   - requestArchive: keeps the request log on disk, or nil to keep it only in memory.
  ///   - managementToken: see ``Settings/managementToken``.
  /// - Throws: an error whose text says why the storage cannot be used.
  public init(
    dataFolder: URL, postgres: PostgresAccess? = nil, s3: S3Access? = nil, live: Live,
    logger: Logger, publicURL: String? = nil, limits: LimitSettings = .unpaced,
    push: PushSettings = PushSettings(), mail: MailSettings? = nil,
    providers: ProviderClient? = nil, requestArchive: (any RequestArchive)? = nil,
    managementToken: String? = nil
  ) async throws {
    var storage = try await ServerStorage.opened(
      dataFolder: dataFolder, postgres: postgres, s3: s3, live: live, logger: logger,
      limits: limits)
    do {
      try await storage.claimAssets(live: live)
      // NB: a folder whose server was refused can still be used with another bucket.
      try AssetsPlace(data: dataFolder).keep(s3)
    } catch {
      await storage.close()
      throw error
    }
    try await self.init(
      storage: storage, live: live, logger: logger, publicURL: publicURL, push: push,
      limits: limits, mail: mail, providers: providers,
      requestArchive: requestArchive, managementToken: managementToken)
  }

  /// - Parameters:
  ///   - storage: the storage engine.
  ///   - publicURL: see ``Settings/publicURL``.
  ///   - push: the settings for delivering notifications to listeners.
  ///   - limits: the limits on callers' requests.
  ///   - mail: the settings for mails and sign-up, or nil if the server offers neither.
  ///   - providers: the identity providers at which users can sign in, or nil if there are none.
  ///   - requestArchive: keeps the request log on disk, or nil to keep it only in memory.
  ///   - managementToken: see ``Settings/managementToken``.
  /// - Throws: an error of the storage.
  public init(
    storage: ServerStorage, live: Live, logger: Logger, publicURL: String? = nil,
    push: PushSettings = PushSettings(), limits: LimitSettings = .unpaced,
    mail: MailSettings? = nil, providers: ProviderClient? = nil,
    requestArchive: (any RequestArchive)? = nil, managementToken: String? = nil
  ) async throws {
    let reports = ReportQueue()
    requestLog = RequestLog(archive: requestArchive) { [weak reports] in reports?.readDetails() }
    ambient = live.ambient
    self.logger = logger
    self.storage = storage
    stores = storage.stores
    locks = storage.locks
    cascades = storage.signals(.cascades)
    changes = storage.signals(.changes)
    queues = storage.signals(.queues)
    newsOfOthers = storage.newsOfOthers
    try await storage.prepare()
    let (stores, registry) = (storage.stores, storage.registry)
    accounts = try await Accounts(
      registry: registry, signingKeys: storage.signingKeys, ambient: live.ambient,
      randomness: live.randomness, limits: limits,
      removals: storage.removals.map { $0 as any RemovalJournal } ?? NoRemovalJournal(),
      audit: Audit { logger.notice("\($0)") },
      passwordThreads: ProcessInfo.processInfo.activeProcessorCount / 2, mail: mail)
    assets = storage.assets
    let (signingKeys, randomness) = (storage.signingKeys, live.randomness)
    let ticketKeys = { @Sendable () throws(ServerError) in
      try signingKeys.keys(for: SigningPurpose.assetTickets, orKeep: randomness(32)).map(\.bytes)
    }
    let signer = HMACSigner(secrets: try ticketKeys())
    let managementToken =
      managementToken ?? live.randomness(32).map { String($0, radix: 36) }.joined()
    self.managementToken = managementToken
    let service = Service(
      stores: stores, containers: registry, assets: assets, signer: signer,
      ambient: live.ambient, cascades: cascades, changes: changes, queues: queues,
      limits: limits, pollHoldSeconds: push.pollHoldSeconds, uses: uses,
      shareAccounts: ShareAccounts { [accounts] (user, container) async throws(ServerError) in
        try await accounts.addresses(ofUser: user, in: container)
      },
      invitations: MailedInvitations(accounts: accounts, stores: stores), people: accounts,
      createContainer: { [accounts] (container, principal) async throws(ServerError) in
        try await accounts.adopt(container, by: principal)
      }
    ) { [accounts] (user, container) async throws(ServerError) in
      try await accounts.requireOpenAccount(ofUser: user, in: container)
    }
    radar = ProductionRadar(stores: stores, ambient: live.ambient)
    hub = Hub(
      stores: stores, ambient: live.ambient, heartbeatSeconds: push.heartbeatSeconds
    ) { error in
      logger.error("notifications cannot be delivered: \(error.reason) \(error.facts)")
    }
    roles = UserRoles(stores: stores, ambient: live.ambient, changes: changes)
    reports.add(RequestEntries(log: requestLog, timelines: timelines))
    let devices = DeviceReports(
      stores: stores, timelines: timelines, ambient: live.ambient,
      notePending: { reports.flush() })
    let releaseEnded = { @Sendable [hub, accounts] () async throws(ServerError) in
      try await hub.releaseEnded(by: accounts)
    }
    let hasStore = { @Sendable (address: StoreAddress) in stores.hasStore(at: address) }
    remover = AccountRemover(
      accounts: accounts, removal: service.userRemoval, stores: stores, hasStore: hasStore,
      releaseEnded: releaseEnded)
    let archives = AccountArchives(
      accounts: accounts, exporter: service.userExport, importer: service.userImport,
      stores: stores, hasStore: hasStore, version: ServerVersion.current)
    let management = accounts.managementHandlers(
      roles: roles, quotas: StorageQuotas(stores: stores), devices: devices,
      restorer: service.restorer, remover: remover, archives: archives,
      releaseEnded: releaseEnded,
      deleteStores: { (container) async throws(ServerError) in
        try await stores.deleteStores(of: container)
      },
      rotateTicketKey: { () throws(ServerError) in
        try signingKeys.rotate(SigningPurpose.assetTickets, to: randomness(32))
        signer.replace(by: try ticketKeys())
      })
    let status = StatusHandler(
      stores: stores, containers: registry, radar: radar,
      checks: storage.readinessChecks + [draining],
      ambient: live.ambient, startedAt: live.ambient.now(),
      logger: StatusLog { logger.error("\($0)") })
    pace = CallerPace(limits, ambient: live.ambient)
    let checks = storage.readinessChecks + [draining]
    let nodeHandlers: [any ManagementHandler] = [
      ListNodesHandler(nodes: storage.nodes),
      DrainNodeHandler(nodes: storage.nodes, draining: draining, ambient: live.ambient),
    ]
    var router = Router(
      service: service, hub: hub,
      management: (management + service.managementHandlers
        + [
          status, ListRequestsHandler(log: requestLog, ambient: live.ambient),
          FetchTelemetryHandler(log: requestLog),
        ] + nodeHandlers).map { [accounts] in accounts.audited($0) },
      authentication: accounts, pace: pace,
      expensive: ExpensiveRequests(limits, ambient: live.ambient),
      ambient: live.ambient,
      managementToken: managementToken, instance: live.ambient.makeUUID(),
      publicURL: publicURL.map(Self.withoutSlash), readiness: checks,
      radar: radar, version: ServerVersion.current, reports: reports, logger: logger)
    router.pages = accounts.webPages(
      shares: service.shareDesk, providers: providers, devices: devices,
      remover: remover, archives: archives
    ) { error in
      logger.error("a page cannot be answered: \(error.reason) \(error.facts)")
    }
    router.news = news
    self.router = router
    try await applyRemovals()
  }

  /// If the data was restored from a backup, applies the later entries of the journal of removals.
  /// The server answers no request before this method has returned.
  ///
  /// The entries are in the registry if the backup was restored into PostgreSQL, so that each node
  /// finds them. Otherwise they are in the data folder.
  private func applyRemovals() async throws {
    try await applyRemovalsOfRegistry()
    guard let file = storage.removals, let entries = try file.pendingEntries() else { return }
    let count = try await accounts.apply(entries, roles: roles, remover: remover)
    logger.notice("removals since the restored backup: \(entries.count), applied: \(count)")
    file.forgetPending()
  }

  /// Applies the entries in the registry. If another node is applying them, waits for it.
  ///
  /// - Throws: ``RemovalsUnfinished`` if the other node takes too long, and errors of the storage.
  private func applyRemovalsOfRegistry() async throws {
    let registry = storage.registry
    if try await registry.pendingRemovals().isEmpty { return }
    let end = Live.stopwatch() + RemovalsUnfinished.waitSeconds * 1_000_000_000
    var isWaiting = false
    while true {
      let count = try await locks.withLock(on: .restoredRemovals, at: Self.installation) {
        () async throws(ServerError) -> Int in
        // NB: another node may have applied the entries in the meantime, and may answer requests
        // already. The same entry could now remove something new, such as a new password.
        let entries = try await registry.pendingRemovals()
        if entries.isEmpty { return 0 }
        let applied = try await accounts.apply(entries, roles: roles, remover: remover)
        try await registry.forgetPendingRemovals()
        logger.notice("removals since the restored backup: \(entries.count), applied: \(applied)")
        return applied
      }
      if count != nil { return }
      if !isWaiting {
        logger.notice("waiting for another server, which applies removals to the restored data")
        isWaiting = true
      }
      guard Live.stopwatch() < end else { throw RemovalsUnfinished() }
      try await Task.sleep(for: Self.pauseOfWaitingNode)
    }
  }

  /// The address in the lock for work that concerns no single store. No container has an empty ID.
  private static let installation = StoreAddress(container: "", environment: .production)
  private static let pauseOfWaitingNode = Duration.milliseconds(200)

  /// Completes the deletions of accounts, for tests. A running server does this itself.
  public func finishRemovals() async throws(ServerError) { try await remover.finishRemovals() }

  /// The turns of the nodes to make backups, or nil if this server is the only one.
  var backupTurns: (any BackupTurns)? { storage.backupTurns }

  static func withoutSlash(_ url: String) -> String {
    url.hasSuffix("/") ? String(url.dropLast()) : url
  }

  /// Closes all streams if the node has drained for long enough. Divides the rate limits among the
  /// nodes. The server calls this method about once a second.
  func attendNodes() {
    pace.share(amongNodes: storage.nodes.count())
    if draining.mustClose(at: ambient.now()) { hub.close() }
  }

  /// Removes the remaining data of deleted zones from the open stores, and returns when all of it
  /// is removed.
  public func purgeZones() async throws(ServerError) {
    for store in stores.openStores {
      while try await PurgeZones(store: store, ambient: ambient).step(limit: 500) {}
    }
  }

  /// Continues retirements in every open store, for tests: copies renamed fields and removes
  /// dropped fields. A running server does this itself.
  ///
  /// - Parameter stepsMax: the maximum number of steps in each store, or nil to do all pending
  ///   work.
  public func continueRetirements(stepsMax: Int? = nil) async throws(ServerError) {
    for store in stores.openStores {
      let retirements = ContinueRetirements(store: store, ambient: ambient)
      var count = 0
      while count < stepsMax ?? .max, try await retirements.step() { count += 1 }
    }
  }

  /// In the open stores, gives the disk space of deleted data back to the system. Returns when this
  /// is done.
  public func returnSpace() async throws(ServerError) {
    for store in stores.openStores {
      while try await ReturnSpace(store: store).step() {}
    }
  }

  /// In the open stores, drops the indexes that no query has used for a long time. Returns when
  /// this is done.
  public func dropUnusedIndexes() async throws(ServerError) {
    for (address, store) in stores.openStoresByAddress {
      let work = DropUnusedIndexes(store: store, at: address, uses: uses, ambient: ambient)
      while try await work.step() {}
    }
  }

  /// Removes from the open stores the asset bytes that no record uses. Returns when this is done.
  ///
  /// If one store fails, the error is logged, and the other stores are still processed.
  /// - Parameter graceSeconds: see ``Settings/assetGraceSeconds``.
  public func sweepAssets(graceSeconds: Int64) async {
    for (address, store) in stores.openStoresByAddress {
      let sweep = SweepAssets(
        store: store, at: address, assets: assets, ambient: ambient, graceSeconds: graceSeconds,
        owner: storage.assetOwner)
      do throws(ServerError) {
        _ = try await locks.withLock(on: .assetSweep, at: address) { () throws(ServerError) in
          try await sweep.run()
        }
      } catch {
        logger.error(
          """
          files of \(address.container) (\(address.environment)) cannot be swept: \
          \(error.reason) \(error.facts)
          """)
      }
    }
  }

  /// Creates the service that sends notifications through Apple's push service while the server
  /// runs.
  func apnsService(_ access: APNsAccess, live: Live, logger: Logger) -> APNsService {
    APNsService(
      access: access, stores: stores, openAll: { await openAllStores() },
      authentication: accounts, queues: queues, locks: locks, live: live, logger: logger)
  }

  /// Opens all existing stores one after the other, and starts their pending work. Returns when all
  /// of them are open.
  ///
  /// If one store fails, the error is logged, and the other stores are still opened.
  private func openAllStores() async {
    do throws(ServerError) {
      for container in try await storage.registry.containers() {
        for environment in ContainerEnvironment.allCases {
          if Task.isCancelled { return }
          await open(StoreAddress(container: container, environment: environment))
        }
      }
    } catch {
      logger.error("the containers cannot be listed: \(error.reason) \(error.facts)")
    }
  }

  private func open(_ address: StoreAddress) async {
    guard stores.hasStore(at: address) else { return }
    do throws(ServerError) {
      _ = try await stores.store(at: address)
      changes.send(StoreSignal(address))
      queues.send(StoreSignal(address))
    } catch {
      logger.error(
        """
        the store of \(address.container) (\(address.environment)) cannot be opened: \
        \(error.reason) \(error.facts)
        """)
    }
  }

  /// Queues the notifications for changes in every open store, for tests. A running server does
  /// this itself.
  ///
  /// - Parameter limit: the maximum number of subscriptions that one step checks.
  /// - Throws: the store's error.
  public func matchChanges(limit: Int = MatchChanges.stepMax) async throws {
    for (address, store) in stores.openStoresByAddress {
      let changes = MatchChanges(store: store, address: address, ambient: ambient)
      while try await changes.step(limit: limit).mayHaveMore {}
    }
  }

  /// Continues the pending cascades and shared hierarchies in every open store, for tests. A
  /// running server does this itself.
  ///
  /// - Parameter stepsMax: the maximum number of steps in each store, or nil to do all pending
  ///   work.
  /// - Throws: the store's error.
  public func continueCascades(stepsMax: Int? = nil) async throws {
    for store in stores.openStores {
      let cascades = ContinueCascades(store: store, ambient: ambient)
      var count = 0
      while count < stepsMax ?? .max, try await cascades.step() { count += 1 }
      let hierarchies = ContinueHierarchies(store: store, ambient: ambient)
      while count < stepsMax ?? .max, try await hierarchies.step() { count += 1 }
    }
  }

  /// Adds notifications to queues, for tests. A running server does this when records change.
  ///
  /// - Throws: the store's error.
  public func queue(
    _ notifications: [NewNotification], at address: StoreAddress
  ) async throws(ServerError) {
    try await stores.store(at: address).write { (store) throws(ServerError) in
      try store.enqueue(notifications)
    }
  }

  /// Removes from the open stores old notifications, and devices that were inactive for a long
  /// time. Returns when this is done.
  public func pruneNotifications() async throws(ServerError) {
    let time = ambient.now() - Limits.notificationDaysMax * 86_400_000
    for store in stores.openStores {
      var hasMore = true
      while hasMore {
        hasMore = try await store.write { (store) throws(ServerError) in
          try store.pruneNotifications(
            madeBefore: time, devicesUnseenSince: time, limit: 500)
        }
      }
    }
  }

  /// Makes every change token expire, for tests. Restoring a backup has the same effect.
  ///
  /// - Throws: `BAD_REQUEST` if the storage cannot do so, for example because it is a folder.
  public func renewEpochs() throws(ServerError) {
    guard let renew = storage.renewEpochs else {
      throw .badRequest("only stores in memory get new epochs")
    }
    try renew()
  }

  /// Returns the store of a container, for tests that send no requests. If the container does not
  /// exist, it is created, as the first write of a request would do.
  ///
  /// - Throws: an error of the stores.
  public func store(at address: StoreAddress) async throws(ServerError) -> any Store {
    try await accounts.adopt(address.container, by: .management)
    return try await stores.store(at: address)
  }

  /// For tests, removes the bytes of every asset file, as a failing disk could. Records still refer
  /// to these files.
  ///
  /// - Throws: an error of the asset store.
  public func loseAssets() async throws(ServerError) {
    for address in stores.openStoresByAddress.keys {
      for file in try await assets.files(at: address, after: nil, limit: .max) {
        try await assets.remove(file: file.name, at: address)
      }
    }
  }

  /// Returns the problems of the stores' files, for the log and for `/health/ready`.
  public func storeProblems() async -> [HealthProblem] { await storage.problems() }

  /// The service that ends the server when its stores cannot be used any more, or nil if this
  /// cannot happen.
  func storageEnd() -> StorageEnd? { storage.waitForEnd.map { StorageEnd(wait: $0) } }

  /// Frees the memory that the stores have not used since the last call. Returns whether database
  /// connections for reading were closed.
  func releaseMemory() -> Bool { storage.releaseMemory() }

  /// Closes the files. Every acknowledged write is on disk before this call.
  public func close() async {
    do throws(ServerError) { try await radar.flush() } catch {
      logger.error("the counts of refusals in production are lost: \(error.reason)")
    }
    await storage.close()
  }
}
