import StratusDomain
import StratusWire

/// Answers ``FetchStatus``.
struct StatusHandler: ManagementHandler {
  typealias Endpoint = FetchStatus

  let stores: any OpenStoreCatalog
  let containers: any ContainerRegistry
  let radar: ProductionRadar
  let checks: [any ReadinessCheck]
  let ambient: Ambient
  /// The time when the server started, in milliseconds since 1970 UTC.
  let startedAt: Int64
  let logger: StatusLog

  func answer(_ request: EmptyRequest) async throws(ServerError) -> ServerStatus {
    let ids = try await containers.containers()
    var lacks: [LackItem] = []
    var faults: [ReadinessFault] = []
    for id in ids where stores.hasStore(at: StoreAddress(container: id, environment: .production)) {
      do throws(ServerError) {
        lacks += try await radar.counts(of: id).map { LackItem($0, of: id) }
      } catch {
        // A store that cannot be opened is reported by the readiness checks.
        logger.note("the counts of refusals of \(id) cannot be read: \(error.reason)")
      }
    }
    for check in checks { faults += await check.faults() }
    let open = Set(stores.openStoresByAddress.keys)
    var items: [ContainerItem] = []
    for id in ids {
      var found: [StoreItem] = []
      for environment in ContainerEnvironment.allCases {
        let address = StoreAddress(container: id, environment: environment)
        guard stores.hasStore(at: address) else { continue }
        found.append(
          StoreItem(
            environment: environment, isOpen: open.contains(address),
            sizeBytes: await stores.sizeBytes(ofStore: address)))
      }
      items.append(ContainerItem(id: id, stores: found))
    }
    return ServerStatus(
      lacks: lacks.sorted { ($0.count, $0.lastAt) > ($1.count, $1.lastAt) }, faults: faults,
      version: ServerVersion.current, startedAt: startedAt,
      uptimeSeconds: max(0, ambient.now() - startedAt) / 1_000, containers: items)
  }
}

/// Receives a line for each problem.
struct StatusLog: Sendable {
  let note: @Sendable (String) -> Void
}

extension LackItem {
  init(_ count: LackCount, of container: String) {
    self.init(
      containerID: container, recordType: count.lack.recordType, kind: count.lack.kind.rawValue,
      name: count.lack.name, app: count.app, count: count.count, firstAt: count.firstAt,
      lastAt: count.lastAt)
  }
}
