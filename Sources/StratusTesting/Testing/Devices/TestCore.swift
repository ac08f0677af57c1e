import Foundation
import StratusDomain
import StratusPush
import StratusServer
import Synchronization

/// What a test's server, accounts and devices share.
final class TestCore: Sendable {
  private struct State {
    var isAvailable = true
    var requestsUnderWay = 0
    var requestsCount = 0
    var devicesCount = 0
    var devices: [WeakDevice] = []
    var accounts: [String: AccountState] = [:]
  }

  let composition: Composition
  let clock: TestClock
  /// Lets devices in where nobody is signed in.
  let apiToken: String
  /// Where devices keep what outlasts an app's launch; made by who needs it.
  let folder: URL
  /// Those of all devices.
  let faults = FaultBook()
  private let removesFolder: Bool
  private let state = Mutex(State())

  init(
    composition: Composition, clock: TestClock, apiToken: String, folder: URL, removesFolder: Bool
  ) {
    self.composition = composition
    self.clock = clock
    self.apiToken = apiToken
    self.folder = folder
    self.removesFolder = removesFolder
  }

  deinit { removeFolder() }

  func removeFolder() {
    if removesFolder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Whether the server takes requests.
  var isAvailable: Bool {
    get { state.withLock(\.isAvailable) }
    set { state.withLock { $0.isAvailable = newValue } }
  }

  /// An account that was asked for before.
  func account(_ email: String) -> AccountState? { state.withLock { $0.accounts[email] } }

  /// Keeps an account, unless somebody was quicker.
  func keep(_ account: AccountState) -> AccountState {
    state.withLock { state in
      let kept = state.accounts[account.email] ?? account
      state.accounts[account.email] = kept
      return kept
    }
  }

  /// Keeps another device.
  func add(_ device: TestDevice) {
    state.withLock { $0.devices.append(WeakDevice(device: device)) }
  }

  /// A number for another device.
  func countDevice() -> Int {
    state.withLock { state in
      state.devicesCount += 1
      return state.devicesCount
    }
  }

  /// The devices that somebody still has.
  var devices: [TestDevice] { state.withLock { $0.devices.compactMap(\.device) } }

  /// Moves on with all that happens.
  var activity: Int { state.withLock(\.requestsCount) + clock.movesCount }

  /// Whether the server is answering somebody.
  var isBusy: Bool { state.withLock { $0.requestsUnderWay > 0 } }

  /// Counts a request while it is answered.
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

  /// Does what a server that runs does behind its requests: carries cascades on, matches
  /// subscriptions, hands notifications out.
  func carryOn() async {
    try? await composition.carryOnCascades()
    try? await composition.matchChanges()
    await handOut()
  }

  func handOut() async {
    await composition.hub.lookAround()
    await composition.hub.settle()
  }
}

private struct WeakDevice: Sendable {
  weak var device: TestDevice?
}
