import Foundation
import StratusAccounts
import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// Sends a test's own requests to the server. Network conditions and faults of devices do not
/// affect these requests.
///
/// NB: these requests are not counted as activity. A condition of `TestServer.wait` can therefore
/// send requests, and the clock still advances.
struct DirectExchange: HTTPExchange {
  let core: TestCore
  let address: StoreAddress

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    do throws(ServerError) { try await core.prepare(address) } catch {
      return Refusal(.internalError).response
    }
    let answer = try await RouterExchange(router: core.composition.router).send(request)
    if request.method == .post { await core.continueWork() }
    return answer
  }
}

extension TestCore {
  /// Returns a container that belongs to no device.
  ///
  /// - Parameter account: the signed-in account. nil means that no account is signed in.
  func container(at address: StoreAddress, of account: AccountState?) -> CKContainer {
    CKContainer(
      identifier: address.container,
      settings: settings(
        of: account, environment: address.environment,
        stateFolder: folder.appendingPathComponent("test/state", isDirectory: true)),
      exchange: DirectExchange(core: self, address: address), timing: clock.timing,
      assets: AssetSettings(
        cacheFolder: folder.appendingPathComponent("test/cache", isDirectory: true)))
  }

  /// NB: all devices share one key file for encrypted values, like devices with a common keychain.
  /// Devices of different users also share the file, because the user of a device can change. Each
  /// user has separate user keys, which are derived from the same account key.
  func settings(
    of account: AccountState?, environment: ContainerEnvironment, stateFolder: URL
  ) -> CKContainer.Settings {
    CKContainer.Settings(
      url: URL(string: "http://stratus.test"),
      environment: CKContainer.Settings.Environment(rawValue: environment.rawValue),
      apiToken: account?.tokens.apiToken ?? apiToken,
      webAuthToken: account?.tokens.webAuthToken,
      keysFile: folder.appendingPathComponent("keys.json"), stateFolder: stateFolder)
  }

  /// Returns the account's user record name in a container.
  ///
  /// - Throws: `CKError.notAuthenticated` if the server rejects the account's tokens.
  func userRecordName(
    of account: AccountState, at address: StoreAddress
  ) async throws -> String {
    let admission = try await composition.accounts.admit(
      Credentials(
        apiToken: account.tokens.apiToken, webAuthToken: account.tokens.webAuthToken),
      to: address)
    guard let user = admission.userRecordName else { throw CKError(.notAuthenticated) }
    return user
  }
}
