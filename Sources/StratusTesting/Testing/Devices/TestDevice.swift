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
  private struct State {
    var account: AccountState?
    var containers: [String: CKContainer] = [:]
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
    core.add(self)
  }

  /// The app's container on this device: the same object at each call, until ``relaunch()``.
  ///
  /// It belongs to the development environment, where record types and fields come by themselves.
  public func container(_ identifier: String) -> CKContainer {
    state.withLock { state in
      if let container = state.containers[identifier] { return container }
      let exchange = DeviceExchange(core: core, network: network)
      let container = CKContainer(
        identifier: identifier, settings: settings(of: state.account), exchange: exchange,
        timing: core.clock.timing,
        assets: AssetSettings(cacheFolder: place("cache-\(state.launch)")), events: exchange)
      state.containers[identifier] = container
      return container
    }
  }

  /// NB: all devices share the keys of encrypted values, as they do where they share a keychain.
  /// Different people's share them, too, since who uses a device may change: each has user keys of
  /// their own, made from the same account key.
  private func settings(of account: AccountState?) -> CKContainer.Settings {
    CKContainer.Settings(
      url: URL(string: "http://stratus.test"), environment: .development,
      apiToken: account?.tokens.apiToken ?? core.apiToken,
      webAuthToken: account?.tokens.webAuthToken,
      keysFile: core.folder.appendingPathComponent("keys.json"),
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
      state.containers = [:]
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

  /// Signs the account out, as somebody does in the system's settings: `CKAccountChanged` is
  /// posted, sync engines hear of it, and calls fail with `notAuthenticated`.
  public func signOut() { change(to: nil) }

  /// Signs another account in, in place of the one there may be: `CKAccountChanged` is posted, and
  /// sync engines hear of it.
  public func signIn(_ account: TestAccount) { change(to: account.state) }

  /// Takes in how the server stands to an account, if that is signed in here.
  func note(_ account: AccountState) {
    let containers = state.withLock { state in
      state.account === account ? Array(state.containers.values) : []
    }
    for container in containers { container.noteAccount(account.standing.refusal) }
  }

  private func change(to account: AccountState?) {
    let containers = state.withLock { state in
      state.account = account
      network.account = account
      return Array(state.containers.values)
    }
    for container in containers {
      if let tokens = account?.tokens {
        container.signIn(webAuthToken: tokens.webAuthToken, apiToken: tokens.apiToken)
      } else {
        container.signOut()
      }
    }
  }
}
