import Logging
import StratusDomain
import StratusHTTP
import StratusPush
import StratusWire

/// One run of the server, from start to crash: the real core over stores in memory.
///
/// NB: unchecked; the loop has one thread.
final class ServerProcess: @unchecked Sendable {
  let life: Life
  let router: Router
  private let stores: MortalStores
  private let ambient: Ambient

  init(stores: MortalStores, life: Life, ambient: Ambient) {
    self.life = life
    self.stores = stores
    self.ambient = ambient
    var logger = Logger(label: "simulation") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    let service = Service(
      stores: stores, containers: EveryContainer(), assets: NoAssets(), signer: NoTickets(),
      ambient: ambient)
    router = Router(
      service: service, hub: Hub(stores: stores, ambient: ambient), management: [],
      authentication: TokenIsUser(), pace: CallerPace(.unpaced, ambient: ambient),
      ambient: ambient, managementToken: "", instance: "simulation", publicURL: nil,
      logger: logger)
  }

  /// Does now and then what a server does by itself.
  func start() {
    Task {
      while life.goesOn() {
        for (_, store) in stores.openStores { await lookAround(store) }
        try? await Loop.shared.sleep(1)
      }
    }
  }

  private func lookAround(_ store: any Store) async {
    do throws(ServerError) {
      while try await PurgeZones(store: store, ambient: ambient).step(limit: 3) {}
      while try await ContinueCascades(store: store, ambient: ambient).step() {}
    } catch {
      // Only a crash makes it fail, and the next process looks around again.
      return
    }
  }
}
