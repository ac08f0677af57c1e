import Logging
import ServiceLifecycle
package import StratusDomain

/// Closes stores without recent requests, so that an unused container needs only disk space.
struct StoreIdling: ServiceLifecycle.Service {
  private static let pauseSecondsMax: Int64 = 30

  let parts: Composition
  let idleSeconds: Int64

  func run() async throws {
    let pause = Duration.seconds(max(1, min(Self.pauseSecondsMax, idleSeconds / 2)))
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        try? await Task.sleep(for: pause)
        if Task.isCancelled { return }
        await parts.closeIdleStores(idleSeconds: idleSeconds)
      }
    }
  }
}

extension Composition {
  /// Closes the stores that have had no request for `idleSeconds` and have no pending work.
  public func closeIdleStores(idleSeconds: Int64) async {
    let time = ambient.now() - idleSeconds * 1_000
    for (address, store) in stores.idleStores(unusedSince: time) {
      guard await isQuiet(store, at: address) else { continue }
      await stores.closeStore(at: address, unlessUsedSince: time)
    }
  }

  /// Whether a store is open.
  package func isOpen(_ address: StoreAddress) -> Bool {
    stores.openStoresByAddress[address] != nil
  }

  /// Whether a store has no unfinished background work. Such work can be deleted zones to purge,
  /// cascades, moves of shared hierarchies, retirements of fields, unused space on the disk, and
  /// changes to match with subscriptions. If there is work, this method runs one step of it.
  private func isQuiet(_ store: any Store, at address: StoreAddress) async -> Bool {
    do throws(ServerError) {
      if try await PurgeZones(store: store, ambient: ambient).step(limit: 500) { return false }
      if try await ContinueCascades(store: store, ambient: ambient).step() { return false }
      let hierarchies = ContinueHierarchies(
        store: store, ambient: ambient, turns: turns[address])
      if try await hierarchies.step() { return false }
      if try await ContinueRetirements(store: store, ambient: ambient).step() { return false }
      if try await ReturnSpace(store: store).step() { return false }
      let matching = MatchChanges(store: store, address: address, ambient: ambient)
      return try await matching.step() == .idle
    } catch { return false }
  }
}
