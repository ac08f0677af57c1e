import Foundation
import StratusDomain
import StratusPush
import StratusServer
import Synchronization

/// The state that a test's server, accounts and devices share.
final class TestCore: Sendable {
  private struct State {
    var isAvailable = true
    var requestsUnderWay = 0
    var requestsCount = 0
    var devicesCount = 0
    var devices: [WeakDevice] = []
    var accounts: [String: AccountState] = [:]
    var prepared: Set<StoreAddress> = []
    var stores: [StoreAddress] = []
  }

  let composition: Composition
  let clock: TestClock
  /// The API token for devices where no user is signed in.
  let apiToken: String
  /// The folder for those parts of the devices' state that outlast one launch of an app. The folder
  /// is created when it is first used.
  let folder: URL
  /// The faults that affect all devices.
  let faults = FaultBook()
  /// The schema of every production environment. nil means that apps run in development.
  let schema: Schema?
  private let removesFolder: Bool
  private let state = Mutex(State())

  init(
    composition: Composition, clock: TestClock, apiToken: String, folder: URL, removesFolder: Bool,
    schema: Schema?
  ) {
    self.schema = schema
    self.composition = composition
    self.clock = clock
    self.apiToken = apiToken
    self.folder = folder
    self.removesFolder = removesFolder
  }

  deinit {
    removeFolder()
    // NB: the threads of PostgreSQL's connections keep the storage in memory until it is closed.
    if TestEngine.chosen == .postgres { Task { [composition] in await composition.close() } }
  }

  func removeFolder() {
    if removesFolder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Whether the server accepts requests.
  var isAvailable: Bool {
    get { state.withLock(\.isAvailable) }
    set { state.withLock { $0.isAvailable = newValue } }
  }

  /// Whether ``prepare(_:)`` has given a store its schema.
  func hasPrepared(_ address: StoreAddress) -> Bool {
    state.withLock { $0.prepared.contains(address) }
  }

  func notePrepared(_ address: StoreAddress) {
    state.withLock { _ = $0.prepared.insert(address) }
  }

  /// Returns an account that this test has already requested, or nil if there is none.
  func account(_ email: String) -> AccountState? { state.withLock { $0.accounts[email] } }

  /// Stores an account, unless another call has stored one with the same name. Returns the stored
  /// account.
  func keep(_ account: AccountState) -> AccountState {
    state.withLock { state in
      let kept = state.accounts[account.email] ?? account
      state.accounts[account.email] = kept
      return kept
    }
  }

  /// Registers a device.
  func add(_ device: TestDevice) {
    state.withLock { $0.devices.append(WeakDevice(device: device)) }
  }

  /// Remembers that a device uses a container.
  func note(_ address: StoreAddress) {
    state.withLock { state in
      if !state.stores.contains(address) { state.stores.append(address) }
    }
  }

  /// The stores of the containers that devices have used, in the reverse order of their first use.
  var usedStores: [StoreAddress] { state.withLock { $0.stores.reversed() } }

  /// Returns the next device number.
  func countDevice() -> Int {
    state.withLock { state in
      state.devicesCount += 1
      return state.devicesCount
    }
  }

  /// The devices that are still referenced.
  var devices: [TestDevice] { state.withLock { $0.devices.compactMap(\.device) } }

  /// A counter that increases with every request and every move of the clock.
  var activity: Int { state.withLock(\.requestsCount) + clock.movesCount }

  /// Whether the server is processing a request.
  var isBusy: Bool { state.withLock { $0.requestsUnderWay > 0 } }

  /// Counts a request, and marks the request as in progress while `body` runs.
  func answering<Value: Sendable, Failure: Error>(
    _ body: () async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    state.withLock { state in
      state.requestsUnderWay += 1
      state.requestsCount += 1
    }
    defer { state.withLock { $0.requestsUnderWay -= 1 } }
    return try await body()
  }

  /// Does the background work of a running server: continues cascades, matches subscriptions, and
  /// delivers notifications.
  func continueWork() async {
    try? await composition.continueCascades()
    try? await composition.matchChanges()
    await handOut()
  }

  func handOut() async {
    await composition.hub.poll()
    await composition.hub.settle()
  }
}

private struct WeakDevice: Sendable {
  weak var device: TestDevice?
}
