import Foundation
import StratusAccounts
import StratusDomain
public import StratusKit
import StratusTransport
import Synchronization

/// A device, such as a phone, a laptop or a watch, on which the tested app runs.
///
/// The device's containers behave like real ones. The test controls the network, the errors and the
/// account:
///
/// ```swift
/// let container = phone.container("iCloud.com.example.Notes")
/// phone.fail(next: .modifyRecords, with: .zoneBusy, retryAfterSeconds: 3)
/// phone.disturb(next: .modifyRecords, by: .losesResponse)
/// phone.isOnline = false
/// ```
///
/// By default, each fault affects only the next matching request, and is then removed.
public final class TestDevice: Sendable {
  private struct State {
    var account: AccountState?
    var containers: [StoreAddress: CKContainer] = [:]
    var launch = 0
  }

  /// A label, which does not have to be unique.
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

  /// The app's container on this device. Each call returns the same object until ``relaunch()``.
  ///
  /// - Parameters:
  ///   - identifier: the container's name, such as `iCloud.com.example.Notes`.
  ///   - environment: the environment. nil means production if the server has a schema file, and
  ///     otherwise development. In development, the first save creates a record type or field. In
  ///     production, the schema must be deployed (see ``ServerSchema`` and
  ///     ``TestServer/deploy(_:to:)``).
  public func container(
    _ identifier: String, environment: CKContainer.Settings.Environment? = nil
  ) -> CKContainer {
    container(at: core.address(of: identifier, environment))
  }

  func container(at address: StoreAddress) -> CKContainer {
    core.note(address)
    return state.withLock { state in
      if let container = state.containers[address] { return container }
      let exchange = DeviceExchange(core: core, network: network, address: address)
      let container = CKContainer(
        identifier: address.container,
        settings: core.settings(
          of: state.account, environment: address.environment, stateFolder: path("state")),
        exchange: exchange,
        timing: core.clock.timing,
        assets: AssetSettings(cacheFolder: path("cache-\(state.launch)")), events: exchange)
      state.containers[address] = container
      return container
    }
  }

  private func path(_ name: String) -> URL {
    core.folder.appendingPathComponent("device-\(number)/\(name)", isDirectory: true)
  }

  /// Ends the app's use of its containers, as if the app had been killed. Containers that are
  /// requested later are new objects on the same device. Calls in progress on an old container
  /// continue. Release the old containers and their sync engines before you call this method.
  public func relaunch() {
    state.withLock { state in
      state.containers = [:]
      state.launch += 1
    }
  }

  /// The account that is signed in. nil means that no account is signed in.
  public var account: TestAccount? {
    state.withLock(\.account).map { TestAccount(core: core, state: $0) }
  }

  /// Whether the device has a network. Without a network, requests fail with `networkUnavailable`,
  /// and notifications stay queued on the server.
  public var isOnline: Bool {
    get { network.isOnline }
    set { network.isOnline = newValue }
  }

  /// Signs the account out, as in the system's settings. `CKAccountChanged` is posted, sync engines
  /// receive the change, and calls fail with `notAuthenticated`.
  public func signOut() { change(to: nil) }

  /// Signs an account in, in place of the present account. `CKAccountChanged` is posted, and sync
  /// engines receive the change.
  public func signIn(_ account: TestAccount) { change(to: account.state) }

  /// Handles a change of an account's restrictions, if the account is signed in on this device.
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
