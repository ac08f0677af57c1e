public import Foundation
public import Logging
public import StratusAccounts
import StratusDomain
public import StratusHTTP
import StratusSQLite

/// The one place where the parts of a server are made and joined; tests build it by the same
/// function.
public struct Composition: Sendable {
  public let accounts: Accounts
  /// Everything the server answers, without a socket.
  public let router: Router
  /// Lets the operator's commands in.
  public let managementToken: String
  let stores: SQLiteStores
  private let registry: SQLiteRegistry

  /// - Throws: if the data folder cannot be used, with a sentence that says why.
  public init(dataFolder: URL, live: Live, logger: Logger) async throws {
    let folder = try DataFolder(dataFolder)
    stores = SQLiteStores(folder: folder, makeEpoch: { live.makeEpoch() })
    registry = try SQLiteRegistry(folder: folder)
    accounts = try await Accounts(
      registry: registry, ambient: live.ambient, randomness: live.randomness)
    managementToken = live.randomness(32).map { String($0, radix: 36) }.joined()
    let service = Service(
      stores: stores, containers: registry, ambient: live.ambient)
    router = Router(
      service: service, management: accounts.managementHandlers + service.managementHandlers,
      authentication: accounts, ambient: live.ambient,
      managementToken: managementToken, instance: live.ambient.makeUUID(), logger: logger)
  }

  /// Closes the files; every acknowledged write is on disk already.
  public func close() async {
    await stores.close()
    await registry.close()
  }
}
