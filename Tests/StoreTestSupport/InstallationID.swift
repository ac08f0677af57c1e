public import Foundation
import StratusDomain
import StratusSQL
import StratusSQLite

/// Opens the registry of a data folder, and returns the ID of the installation.
///
/// - Parameter id: the ID that the installation gets if it has none.
public func installationID(in url: URL, orKeep id: String) async throws -> String {
  let folder = try DataFolder(url)
  defer { folder.unlock() }
  let registry = try SQLiteRegistry(folder: folder)
  let found: Result<String, any Error>
  do { found = .success(try await registry.installationID(orKeep: id)) } catch {
    found = .failure(error)
  }
  await registry.close()
  return try found.get()
}
