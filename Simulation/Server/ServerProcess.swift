import Logging
import StratusDomain
import StratusHTTP
import StratusPush
import StratusWire

/// One run of the server, from its start to its crash. It consists of the server's real core with
/// stores in memory, and of the server's background work.
///
/// NB: `@unchecked` is safe, because the loop has only one thread.
final class ServerProcess: @unchecked Sendable {
  let life: Life
  let router: Router
  let hub: Hub
  let group = SimulatedDeliveryGroup()
  private let stores: MortalStores
  private let ambient: Ambient
  private let mishaps: Mishaps
  /// Receives a signal when there are changes, because changes may cause notifications.
  private let changes = LocalSignals()
  private let cascades = LocalSignals()

  init(stores: MortalStores, life: Life, ambient: Ambient, mishaps: Mishaps) {
    self.life = life
    self.stores = stores
    self.ambient = ambient
    self.mishaps = mishaps
    var logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    let service = Service(
      stores: stores, containers: EveryContainer(), assets: NoAssets(), signer: NoTickets(),
      ambient: ambient, cascades: cascades, changes: changes)
    hub = Hub(stores: stores, ambient: ambient)
    router = Router(
      service: service, hub: hub, management: [],
      authentication: TokenIsUser(), pace: CallerPace(.unpaced, ambient: ambient),
      expensive: ExpensiveRequests(.unpaced, ambient: ambient), ambient: ambient,
      managementToken: "", instance: "simulation", publicURL: nil,
      radar: ProductionRadar(stores: stores, ambient: ambient), logger: logger)
  }

  /// Runs the server's background work, both after a signal and at intervals.
  func start() {
    let hub = hub
    let tasks = [
      Task { await hub.run() },
      Task { await self.follow() },
    ]
    life.atEnd { for task in tasks { task.cancel() } }
    Task { await poll() }
  }

  private func follow() async {
    for await signal in changes.received {
      if !life.goesOn() { return }
      // NB: a signal may be lost. The next check at intervals then finds the work.
      if mishaps.happens(\.lostSignal) { continue }
      for (address, store) in stores.openStores where address == signal.address {
        await match(store, at: address)
      }
    }
  }

  private func poll() async {
    while life.goesOn() {
      for (address, store) in stores.openStores {
        await purge(store)
        await match(store, at: address)
      }
      hub.tick()
      await hub.poll()
      try? await Loop.shared.sleep(1)
    }
  }

  // These functions fail only after a crash. The next process finds their work again.

  private func purge(_ store: any Store) async {
    do throws(ServerError) {
      while try await PurgeZones(store: store, ambient: ambient).step(limit: 3) {}
      while try await ContinueCascades(store: store, ambient: ambient).step() {}
      // NB: a simulation without guests must stop here. The search for hierarchies would change
      // the random choices of all its seeds.
      guard stores.truth != nil else { return }
      while try await ContinueHierarchies(store: store, ambient: ambient).step(limit: 3) {}
    } catch {
      return
    }
  }

  private func match(_ store: any Store, at address: StoreAddress) async {
    let matching = MatchChanges(store: store, address: address, ambient: ambient)
    do throws(ServerError) {
      var hasMore = true
      while hasMore {
        hasMore = try await matching.step(limit: mishaps.pageSize()).mayHaveMore
        await hub.look(at: address)
      }
    } catch {
      return
    }
  }
}
