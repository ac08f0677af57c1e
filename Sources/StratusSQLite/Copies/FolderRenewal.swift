public import Foundation
public import StratusDomain
import StratusSQL

/// Begins a new history in stores of a data folder that no server uses.
public struct FolderRenewal: Sendable {
  private let folder: URL

  public init(of folder: URL) { self.folder = folder }

  /// Makes all change tokens of the given stores expire.
  ///
  /// - Parameters:
  ///   - keepsOthers: whether the registry goes on listing other stores, which keep their history.
  ///     Then the installation also keeps its ID. Otherwise the next server gives it a new one.
  ///   - makeEpoch: returns 64 random bits for a new history.
  ///   - now: the time in milliseconds since 1970 UTC.
  /// - Throws: `INTERNAL_ERROR`.
  public func run(
    _ addresses: [StoreAddress], keepsOthers: Bool, makeEpoch: () -> Int64, now: Int64
  ) throws(ServerError) {
    var epochs: [StoreAddress: Int64] = [:]
    for address in addresses {
      let epoch = makeEpoch()
      try writing(DataFolder.file(of: address, in: folder)) { (connection) throws(ServerError) in
        try StoreTables.beginTimeline(epoch: epoch, now: now, on: connection)
      }
      epochs[address] = epoch
    }
    try writing(DataFolder.registry(in: folder)) { (connection) throws(ServerError) in
      if keepsOthers {
        try RegistryTables.keepStores(epochs, on: connection)
      } else {
        try RegistryTables.setStores(epochs, on: connection)
        try RegistryTables.forgetInstallation(on: connection)
      }
    }
  }

  private func writing(
    _ file: URL, _ body: (any SQLConnection) throws(ServerError) -> Void
  ) throws(ServerError) {
    let connection = try SQLiteConnection(path: file.path, configuration: SQLiteSettings.copied)
    defer { connection.close() }
    try connection.execute(TransactionStatements.beginWrite, [])
    try body(connection)
    try connection.execute(TransactionStatements.commit, [])
  }
}
