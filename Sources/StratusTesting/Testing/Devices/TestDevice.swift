import Foundation
import StratusAccounts
public import StratusKit
import StratusTransport
import Synchronization

/// A phone, a laptop, a watch: where an app runs that is tested.
///
/// Its containers are like any other; what it meets with is up to the test:
///
/// ```swift
/// let container = phone.container("iCloud.com.example.Notes")
/// phone.fail(next: .modifyRecords, with: .zoneBusy, retryAfterSeconds: 3)
/// phone.disturb(next: .modifyRecords, by: .losesResponse)
/// phone.isOnline = false
/// ```
///
/// Each fault befalls the next request it concerns, and is gone then.
public final class TestDevice: Sendable {
  /// One launch's use of a container.
  private struct Use {
    let container: CKContainer
    let exchange: DeviceExchange
  }

  private struct State {
    var account: AccountState?
    var uses: [String: Use] = [:]
    var launch = 0
  }

  /// For people.
  public let name: String
  let core: TestCore
  let network: DeviceNetwork
  private let number: Int
  private let state: Mutex<State>

  init(name: String, core: TestCore, account: AccountState?) {
    self.name = name
    self.core = core
    number = core.countDevice()
    network = DeviceNetwork(clock: core.clock)
    network.account = account
    state = Mutex(State(account: account))
  }

  /// The app's container on this device: the same object at each call, until ``relaunch()``.
  ///
  /// It belongs to the development environment, where record types and fields come by themselves.
  public func container(_ identifier: String) -> CKContainer {
    state.withLock { state in
      if let use = state.uses[identifier] { return use.container }
      let exchange = DeviceExchange(core: core, network: network)
      let container = CKContainer(
        identifier: identifier, settings: settings(of: state.account), exchange: exchange,
        timing: core.clock.timing,
        assets: AssetSettings(cacheFolder: place("cache-\(state.launch)")), events: exchange)
      state.uses[identifier] = Use(container: container, exchange: exchange)
      return container
    }
  }

  /// NB: the keys of encrypted values lie with the account, as they do where devices share a
  /// keychain.
  private func settings(of account: AccountState?) -> CKContainer.Settings {
    CKContainer.Settings(
      url: URL(string: "http://stratus.test"), environment: .development,
      apiToken: account?.tokens.apiToken ?? core.apiToken,
      webAuthToken: account?.tokens.webAuthToken,
      keysFile: core.folder.appendingPathComponent("keys-\(account?.email ?? "nobody").json"),
      stateFolder: place("state"))
  }

  private func place(_ name: String) -> URL {
    core.folder.appendingPathComponent("device-\(number)/\(name)", isDirectory: true)
  }

  /// Ends the app's use of its containers, as if it had been killed: those made from now on begin
  /// anew, on the same device. What an old container still has under way goes on; let go of it and
  /// of its sync engines first.
  public func relaunch() {
    state.withLock { state in
      state.uses = [:]
      state.launch += 1
    }
  }

  /// Who is signed in; nil: nobody.
  public var account: TestAccount? {
    state.withLock(\.account).map { TestAccount(core: core, state: $0) }
  }

  /// Whether the device has a network. Without one, requests fail with `networkUnavailable`, and
  /// notifications wait at the server.
  public var isOnline: Bool {
    get { network.isOnline }
    set { network.isOnline = newValue }
  }

  /// Signs the account out. Containers of this launch fail with `notAuthenticated` from then on.
  public func signOut() { change(to: nil) }

  /// Signs another account in, in place of the one there may be.
  public func signIn(_ account: TestAccount) { change(to: account.state) }

  private func change(to account: AccountState?) {
    let uses = state.withLock { state in
      state.account = account
      network.account = account
      return Array(state.uses.values)
    }
    for use in uses { use.exchange.leave() }
  }
}
