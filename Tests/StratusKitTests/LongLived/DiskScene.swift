import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// A folder that several processes share, or a copy of the folder from the moment at which a
/// process died.
final class DiskScene: Sendable {
  let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-test-\(UUID().uuidString)", isDirectory: true)

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Returns a copy of the disk in its current state.
  func copy() throws -> DiskScene {
    let copy = DiskScene()
    try FileManager.default.copyItem(at: folder, to: copy.folder)
    return copy
  }

  /// Returns a container that keeps its files in the folder, as a container of a new process does.
  func container(
    on server: any HTTPExchange, webAuthToken: String? = "web",
    identifier: String = "iCloud.org.example.App"
  ) -> CKContainer {
    let clock = FakeClock()
    return CKContainer(
      identifier: identifier,
      settings: CKContainer.Settings(
        url: URL(string: "https://cloud.example.org"), apiToken: "api",
        webAuthToken: webAuthToken, stateFolder: folder),
      exchange: server,
      timing: Timing(
        now: { clock.now.withLock { $0 } },
        sleep: { seconds in
          clock.now.withLock { $0 += seconds }
          await Task.yield()
        },
        chance: { 0 }),
      assets: AssetSettings(cacheFolder: folder.appendingPathComponent("cache")))
  }

  /// Creates the storage for the files of a new operation with this ID.
  func saved(_ id: String = "A") throws -> SavedOperation {
    try #require(operations.make(id: id))
  }

  var operations: SavedOperations {
    SavedOperations(
      in: folder,
      of: Connection.Address(
        url: "https://cloud.example.org", container: "iCloud.org.example.App",
        environment: .development, deviceID: "D"))
  }
}

/// A copy of the disk, which a test takes at one moment.
final class DiskSnapshot: Sendable {
  private let kept = Mutex<DiskScene?>(nil)

  var disk: DiskScene? { kept.withLock { $0 } }

  func take(of disk: DiskScene) { kept.withLock { $0 = try? disk.copy() } }
}

/// Lets other tasks run until a condition holds.
///
/// - Returns: false if the condition did not hold after 100,000 checks.
func eventually(_ isSo: () async throws -> Bool) async rethrows -> Bool {
  for _ in 0..<100_000 {
    if try await isSo() { return true }
    await Task.yield()
  }
  return false
}
