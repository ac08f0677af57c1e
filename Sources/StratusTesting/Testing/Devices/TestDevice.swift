import Foundation
import StratusAccounts
import StratusDomain
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
    var containers: [StoreAddress: CKContainer] = [:]
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
  /// - Parameter environment: development unless given: there a record type or field is made
  ///   by the first save. In production it must be deployed: ``TestServer/deploy(_:to:)``.
  public func container(
    _ identifier: String, environment: CKContainer.Settings.Environment = .development
  ) -> CKContainer {
    let address = StoreAddress(container: identifier, environment)
    return state.withLock { state in
      if let container = state.containers[address] { return container }
      let exchange = DeviceExchange(core: core, network: network)
      let container = CKContainer(
        identifier: identifier,
        settings: core.settings(
          of: state.account, environment: address.environment, stateFolder: place("state")),
        exchange: exchange,
        timing: core.clock.timing,
        assets: AssetSettings(cacheFolder: place("cache-\(state.launch)")), events: exchange)
      state.containers[address] = container
      return container
    }
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
