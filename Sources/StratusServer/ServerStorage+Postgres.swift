import Foundation
import Logging
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire

#if Postgres
  import StratusPostgres
#endif

/// The reason why the stores in PostgreSQL cannot be used, as a sentence for the operator.
struct PostgresUnusable: Error, CustomStringConvertible {
  let description: String
}

extension ServerStorage {
  #if Postgres
    /// Creates a storage whose stores and registry are in PostgreSQL. The keys and the bytes of
    /// assets are in a folder, which all nodes must share.
    ///
    /// - Throws: ``PostgresUnusable``.
    static func inPostgres(
      _ access: PostgresAccess, folder: URL, live: Live, logger: Logger, limits: LimitSettings
    ) async throws -> ServerStorage {
      let url: PostgresURL
      do throws(PostgresURL.Fault) { url = try PostgresURL(access.url) } catch {
        throw PostgresUnusable(description: error.description)
      }
      var settings = PostgresSettings(url: url)
      settings.allowsLoss = access.allowsLoss
      settings.waitingMax = limits.storeWaitingMax
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let cluster: PostgresCluster
      do throws(ServerError) {
        cluster = try await PostgresCluster(
          settings: settings,
          surroundings: .init(
            node: live.ambient.makeUUID(), version: ServerVersion.current,
            now: live.ambient.now, makeEpoch: { live.makeEpoch() },
            makeStandIn: { (epoch) throws(ServerError) in
              try MemoryStores.emptyStore(epoch: epoch, now: live.ambient.now())
            },
            report: { logger.error("\($0)") }))
      } catch {
        let what = error.facts["postgres"] ?? error.facts["fault"] ?? error.reason
        let advice = error.hint.map { "; \($0)" } ?? ""
        throw PostgresUnusable(
          description: "PostgreSQL at \(url.shown) cannot be used: \(what)\(advice).")
      }
      return try ServerStorage(cluster: cluster, folder: folder, live: live)
    }

    private init(cluster: PostgresCluster, folder: URL, live: Live) throws {
      stores = cluster.stores
      registry = cluster.registry
      signingKeys = try KeyFile(data: folder)
      assets = FolderAssetStore(data: folder, now: live.ambient.now)
      locks = cluster.locks
      signals = { cluster.signals($0.rawValue) }
      renewEpochs = nil
      prepare = {}
      problems = { [] }
      readinessChecks = [
        DiskReadiness(folder: folder), PostgresReadiness(registry: cluster.registry),
      ]
      releaseMemory = { false }
      close = { await cluster.close() }
    }
  #else
    /// - Throws: ``PostgresUnusable``, because this program was built without PostgreSQL.
    static func inPostgres(
      _ access: PostgresAccess, folder: URL, live: Live, logger: Logger, limits: LimitSettings
    ) async throws -> ServerStorage {
      throw PostgresUnusable(
        description: """
          This program was built without PostgreSQL: leave out --postgres, or build it with \
          'swift build --traits Postgres'
          """)
    }
  #endif
}

#if Postgres
  /// Checks whether the node reaches PostgreSQL.
  private struct PostgresReadiness: ReadinessCheck {
    let registry: PostgresRegistry

    var name: String { "postgres" }

    func faults() async -> [ReadinessFault] {
      do throws(ServerError) {
        _ = try await registry.version()
        return []
      } catch {
        return [
          ReadinessFault(name: "postgres-unreachable", reason: "PostgreSQL cannot be reached")
        ]
      }
    }
  }

  extension PostgresStores: OpenStoreCatalog {
    /// Returns no stores, because a store in PostgreSQL holds no file open.
    func idleStores(unusedSince time: Int64) -> [StoreAddress: any Store] { [:] }
    func closeStore(at address: StoreAddress, unlessUsedSince time: Int64) async {}
    func sizeBytes(ofStore address: StoreAddress) -> Int64 { 0 }
  }
#endif
