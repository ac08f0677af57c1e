import Foundation
import Logging
import StratusAssets
import StratusDomain
import StratusSQLite
import StratusWire

/// The reason why a server must not use the files in a place, as a sentence for the operator.
struct AssetsUnusable: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  /// - Parameter error: an error of ``AssetOwner``.
  init(_ error: ServerError, place: String) {
    let fault = error.facts["fault"] ?? error.reason
    let details = Self.facts.compactMap { name in
      error.facts[name].flatMap { $0.isEmpty ? nil : "\(name) \($0)" }
    }
    let facts = details.isEmpty ? "" : " (\(details.joined(separator: ", ")))"
    let advice = error.hint.map { "; \($0)" } ?? ""
    description = "The bytes of assets cannot be in \(place): \(fault)\(facts)\(advice)."
  }

  /// The facts that the sentence contains.
  private static let facts = ["owner", "installation", "status", "code", "message", "error"]
}

extension ServerStorage {
  /// Opens the storage of a server, with the bytes of assets in their place.
  ///
  /// - Parameters:
  ///   - postgres: see ``Settings/postgres``.
  ///   - s3: see ``Settings/assets``.
  /// - Throws: an error whose text says why the storage cannot be used.
  static func opened(
    dataFolder: URL, postgres: PostgresAccess?, s3: S3Access?, live: Live, logger: Logger,
    limits: LimitSettings = .unpaced
  ) async throws -> ServerStorage {
    var storage: ServerStorage
    if let postgres {
      if s3 == nil { try requireNoRegistry(in: postgres.sharedFolder ?? dataFolder) }
      storage = try await inPostgres(
        postgres, folder: dataFolder, live: live, logger: logger, limits: limits)
    } else {
      storage = try ServerStorage(folder: dataFolder, live: live, limits: limits)
    }
    do throws(S3Unusable) {
      try AssetsPlace(data: dataFolder).require(s3)
      if let s3 { try await storage.keepAssets(in: s3, live: live) }
    } catch {
      await storage.close()
      throw error
    }
    return storage
  }

  /// Refuses the data folder of a server without PostgreSQL as the place of the files of nodes. The
  /// files in it belong to the registry beside them.
  private static func requireNoRegistry(in shared: URL) throws {
    guard !FileManager.default.fileExists(atPath: DataFolder.registry(in: shared).path) else {
      throw AssetsUnusable(
        "The folder \(shared.path) has the files of a server without --postgres: name another "
          + "folder with --shared, or move \(DataFolder.registry(in: shared).lastPathComponent) "
          + "away if no server without --postgres uses the folder any more.")
    }
  }

  /// Refuses a folder that nodes on PostgreSQL have used for their files. A server without
  /// PostgreSQL would remove these files, because its registry does not know them.
  static func requireNoOwner(in data: URL) throws {
    let file = FolderAssetStore.ownerFile(in: data)
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw AssetsUnusable(
        "The folder \(data.path) has the files of servers on PostgreSQL: start the server with "
          + "--postgres, or name another folder with --data.")
    }
  }

  /// Returns the ownership of the files, or nil if no other installation can use the same ones.
  func ownership(live: Live) async throws(ServerError) -> AssetOwner? {
    guard let mark = assets.ownerMark else { return nil }
    return AssetOwner(
      mark, installationID: try await registry.installationID(orKeep: live.ambient.makeUUID()))
  }

  /// Makes this installation the owner of the files, if they have no owner yet.
  ///
  /// - Throws: ``AssetsUnusable`` if they belong to another installation.
  mutating func claimAssets(live: Live) async throws {
    guard let owner = try await ownership(live: live) else { return }
    do throws(ServerError) { try await owner.claim() } catch {
      throw AssetsUnusable(error, place: owner.place)
    }
    assetOwner = owner
  }
}
