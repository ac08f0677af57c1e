public import Foundation
import Logging
import StratusDomain
import StratusSQLite

#if Postgres
  import StratusPostgres
#endif

/// Makes an installation the owner of the files in a bucket, or in a folder that nodes share, in
/// place of another installation.
public struct AssetsClaim: Sendable, Equatable {
  /// The place of the files, for the operator.
  public var place: String
  /// The ID of the installation that owns the files now.
  public var installationID: String
  /// The ID of the earlier owner, or nil if there was none.
  public var earlierID: String?

  /// Claims the files. The server of the installation must not run on the same data folder.
  ///
  /// - Parameters:
  ///   - dataFolder: see ``Settings/dataFolder``.
  ///   - postgres: see ``Settings/postgres``.
  ///   - s3: see ``Settings/assets``.
  ///   - replaces: whether to claim the files although they belong to another installation.
  /// - Throws: an error whose text says why the files cannot be claimed.
  public static func run(
    dataFolder: URL, postgres: PostgresAccess?, s3: S3Access?, replaces: Bool, live: Live = Live()
  ) async throws -> AssetsClaim {
    // NB: otherwise a mistake in the options would create an empty installation, and give it the
    // files.
    if let postgres {
      try requireInstallation(in: postgres, live: live)
    } else {
      try requireInstallation(in: dataFolder)
    }
    let storage = try await ServerStorage.opened(
      dataFolder: dataFolder, postgres: postgres, s3: s3, live: live,
      logger: Logger(label: "stratus"))
    let outcome: Result<AssetsClaim, any Error>
    do { outcome = .success(try await run(on: storage, replaces: replaces, live: live)) } catch {
      outcome = .failure(error)
    }
    await storage.close()
    return try outcome.get()
  }

  private static func requireInstallation(in data: URL) throws {
    guard FileManager.default.fileExists(atPath: DataFolder.registry(in: data).path) else {
      throw AssetsUnusable(
        "\(data.path) does not hold the data of a Stratus server: name its data folder with "
          + "--data.")
    }
  }

  private static func requireInstallation(in access: PostgresAccess, live: Live) throws {
    #if Postgres
      let found = try InstallationCopy.installation(
        at: access.url, schema: "stratus", live: live)
      defer { found.close() }
      do throws(ServerError) { _ = try found.installationID() } catch {
        throw BackupFailure(error, what: "the database", verb: "used")
      }
    #endif
  }

  private static func run(
    on storage: ServerStorage, replaces: Bool, live: Live
  ) async throws -> AssetsClaim {
    guard let owner = try await storage.ownership(live: live) else {
      throw AssetsUnusable(
        "The bytes of assets are in the data folder itself, which only one server can use: name "
          + "the bucket with --assets.")
    }
    do throws(ServerError) {
      let earlier = try await owner.ownerID()
      if let earlier, earlier != owner.installationID, replaces {
        try await owner.take()
      } else {
        try await owner.claim()
      }
      return AssetsClaim(
        place: owner.place, installationID: owner.installationID, earlierID: earlier)
    } catch {
      throw AssetsUnusable(error, place: owner.place)
    }
  }
}
