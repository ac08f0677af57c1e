package import Foundation
import Logging
import StratusAssets
import StratusDomain
import StratusSQLite
package import StratusWire

#if Postgres
  import StratusPostgres
  import StratusSQL
#endif

/// The reason why the stores in PostgreSQL cannot be used, as a sentence for the operator.
struct PostgresUnusable: Error, CustomStringConvertible {
  let description: String
}

extension ServerStorage {
  #if Postgres
    /// Creates a storage whose stores and registry are in PostgreSQL. The keys and the bytes of
    /// assets are in a folder.
    ///
    /// - Throws: ``PostgresUnusable``.
    static func inPostgres(
      _ access: PostgresAccess, folder: URL, live: Live, logger: Logger, limits: LimitSettings
    ) async throws -> ServerStorage {
      var settings = try settings(of: access.url)
      settings.allowsLoss = access.allowsLoss
      settings.waitingMax = limits.storeWaitingMax
      // NB: the folder is locked, because two nodes with one data folder would replace each other's
      // management socket.
      let own = try DataFolder(folder)
      let shared = access.sharedFolder ?? folder
      try FileManager.default.createDirectory(
        at: shared, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let cluster = try await start(settings, live: live) { logger.error("\($0)") }
      return ServerStorage(
        cluster: cluster, settings: settings, signingKeys: try KeyFile(data: shared),
        assets: FolderAssetStore(data: shared, hasOwner: true, now: live.ambient.now),
        folder: own, live: live)
    }

    /// Creates a storage in a schema that belongs to a test.
    ///
    /// - Parameters:
    ///   - folder: the folder for keys and assets, or nil to keep them in memory. In this case the
    ///     schema is removed when the storage is closed.
    /// - Throws: ``PostgresUnusable``.
    package static func inPostgres(
      _ url: String, testSchema schema: String, folder: URL?, live: Live, limits: LimitSettings
    ) async throws -> ServerStorage {
      var settings = try settings(of: url)
      settings.schema = schema
      settings.waitingMax = limits.storeWaitingMax
      // NB: many tests run at once, and a cluster accepts some hundreds of connections.
      settings.writersMax = 4
      settings.readersMax = 3
      let own = try folder.map { try DataFolder($0) }
      let cluster = try await start(settings, live: live) { _ in }
      guard let folder else {
        return ServerStorage(
          cluster: cluster, settings: settings, signingKeys: KeyFile(),
          assets: MemoryAssetStore(now: live.ambient.now), folder: nil, live: live)
      }
      return ServerStorage(
        cluster: cluster, settings: settings, signingKeys: try KeyFile(data: folder),
        assets: FolderAssetStore(data: folder, now: live.ambient.now), folder: own, live: live)
    }

    private static func settings(of text: String) throws -> PostgresSettings {
      do throws(PostgresURL.Fault) { return PostgresSettings(url: try PostgresURL(text)) } catch {
        throw PostgresUnusable(description: error.description)
      }
    }

    private static func start(
      _ settings: PostgresSettings, live: Live, report: @escaping @Sendable (String) -> Void
    ) async throws -> PostgresCluster {
      do throws(ServerError) {
        return try await PostgresCluster(
          settings: settings,
          surroundings: .init(
            node: live.ambient.makeUUID(), version: ServerVersion.current,
            now: live.ambient.now, makeEpoch: { live.makeEpoch() },
            makeStandIn: { (epoch) throws(ServerError) in
              try MemoryStores.emptyStore(epoch: epoch, now: live.ambient.now())
            },
            report: report))
      } catch {
        let what = error.facts["postgres"] ?? error.facts["fault"] ?? error.reason
        let advice = error.hint.map { "; \($0)" } ?? ""
        throw PostgresUnusable(
          description: "PostgreSQL at \(settings.url.shown) cannot be used: \(what)\(advice).")
      }
    }

    /// - Parameter folder: the node's own folder, or nil if the installation belongs to a test and
    ///   is removed when the storage is closed.
    private init(
      cluster: PostgresCluster, settings: PostgresSettings, signingKeys: any SigningKeyStore,
      assets: any AssetStore, folder: DataFolder?, live: Live
    ) {
      stores = cluster.stores
      registry = cluster.registry
      self.signingKeys = signingKeys
      removals = folder.map { RemovalFile(data: $0.url) }
      self.assets = assets
      locks = cluster.locks
      signals = { cluster.signals($0.rawValue) }
      newsOfOthers = cluster.signals("news", toOthersOnly: true)
      nodes = StorageNodes(
        list: { () throws(ServerError) in
          try await cluster.nodes().map { node in
            NodeItem(
              name: node.name, version: node.version, startedAt: node.startedAt,
              seenAt: node.seenAt, isDraining: node.isDraining, isCalled: node.name == cluster.node)
          }
        },
        drain: { () throws(ServerError) in try await cluster.drain() },
        count: { cluster.activeNodesCount },
        upgrades: { () throws(ServerError) in
          let list = try await cluster.unfinishedUpgrades()
          return (list.upgrades.map { UpgradeItem($0) }, list.count)
        })
      waitForEnd = {
        await cluster.waitUntilShutOut().map { reason in
          let what = reason.facts["fault"] ?? reason.reason
          let advice = reason.hint.map { "; \($0)" } ?? ""
          return """
            this server had no contact to PostgreSQL for 30 seconds, and cannot return beside the \
            other servers: \(what)\(advice)
            """
        }
      }
      backupTurns = cluster.backupTurns
      prepare = {}
      problems = { [] }
      releaseMemory = { false }
      let reachable = PostgresReadiness(cluster: cluster)
      if let folder {
        renewEpochs = nil
        readinessChecks = [DiskReadiness(folder: folder.url), reachable]
        close = {
          await cluster.close()
          folder.unlock()
        }
      } else {
        let schema = PostgresTestSchema(of: settings)
        renewEpochs = { () throws(ServerError) in
          try schema.renewEpochs(makeEpoch: { live.makeEpoch() }, now: live.ambient.now)
        }
        readinessChecks = [reachable]
        close = {
          await cluster.close()
          try? schema.remove()
        }
      }
    }
  #else
    private static let unusable = PostgresUnusable(
      description: """
        This program was built without PostgreSQL: leave out --postgres, or build it with \
        'swift build --traits Postgres'.
        """)

    /// - Throws: ``PostgresUnusable``, because this program was built without PostgreSQL.
    static func inPostgres(
      _ access: PostgresAccess, folder: URL, live: Live, logger: Logger, limits: LimitSettings
    ) async throws -> ServerStorage { throw unusable }

    /// - Throws: ``PostgresUnusable``, because this program was built without PostgreSQL.
    package static func inPostgres(
      _ url: String, testSchema schema: String, folder: URL?, live: Live, limits: LimitSettings
    ) async throws -> ServerStorage { throw unusable }
  #endif
}

#if Postgres
  extension UpgradeItem {
    init(_ progress: PostgresUpgradeProgress) {
      self.init(
        containerID: progress.store?.container, environment: progress.store?.environment.rawValue,
        layout: progress.layout, target: progress.target, doneSteps: progress.doneSteps,
        allSteps: progress.allSteps, filledTo: progress.filledTo,
        waitsForNodes: progress.waitsForNodes)
    }
  }

  /// Checks whether the node reaches PostgreSQL, and can use all tables.
  private struct PostgresReadiness: ReadinessCheck {
    let cluster: PostgresCluster

    var name: String { "postgres" }

    func faults() async -> [ReadinessFault] {
      if cluster.isShutOut {
        return [
          ReadinessFault(
            name: "node-shut-out",
            reason: "this server was silent, and cannot work beside the other servers any more")
        ]
      }
      do throws(ServerError) {
        _ = try await cluster.registry.version()
      } catch {
        return [
          ReadinessFault(name: "postgres-unreachable", reason: "PostgreSQL cannot be reached")
        ]
      }
      var faults: [ReadinessFault] = []
      if !cluster.stores.laterStores.isEmpty {
        faults.append(
          ReadinessFault(name: "store-newer", reason: "a later version has upgraded a store"))
      }
      if !cluster.stores.damagedStores.isEmpty {
        faults.append(
          ReadinessFault(
            name: "tables-damaged", reason: "the tables of a store are damaged", extent: .stores))
      }
      return faults
    }
  }

  extension PostgresStores: OpenStoreCatalog {
    /// Returns no stores, because a store in PostgreSQL holds no file open.
    func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store] { [:] }
    func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async {}
  }
#endif
