import CloudKit
import NotesSync
import StratusTesting
import Synchronization
import Testing

/// Alice's phone and laptop. NotesSync runs on both.
struct Household: Sendable {
  let server: TestServer
  let alice: TestAccount
  let phone: NotesDevice
  let laptop: NotesDevice

  /// - Parameter settings: the settings of both devices.
  init(_ settings: Backup.Settings) async throws {
    server = try await TestServer()
    alice = try await server.account("alice@example.com")
    phone = try NotesDevice(alice.device("phone"), server, settings)
    laptop = try NotesDevice(alice.device("laptop"), server, settings)
  }

  func start() async {
    await phone.app.start()
    await laptop.app.start()
  }

  /// Waits until a device shows exactly these notes.
  func wait(until device: NotesDevice, shows texts: [String: String]) async throws {
    try await server.wait { await device.texts == texts }
  }

  /// Waits until both devices and the server have exactly these notes.
  func waitUntilBothShow(_ texts: [String: String]) async throws {
    for device in [phone, laptop] {
      try await server.wait {
        let overview = await device.app.overview
        return overview.isBackedUp && overview.texts == texts
      }
    }
  }

  /// Creates a note and waits until both devices and the server have it.
  func shareMilk() async throws {
    await start()
    try await phone.app.write("Milk", as: "shopping")
    try await waitUntilBothShow(["shopping": "Milk"])
  }
}

/// Runs a test with Alice's devices and a server.
func withHousehold(
  _ settings: Backup.Settings = Backup.Settings(), _ body: (Household) async throws -> Void
) async throws {
  let home = try await Household(settings)
  let outcome: Result<Void, any Error>
  do { outcome = .success(try await body(home)) } catch { outcome = .failure(error) }
  await home.phone.throwAway()
  await home.laptop.throwAway()
  await home.server.stop()
  try outcome.get()
}

/// A device that runs the app with a folder of notes.
final class NotesDevice: Sendable {
  static let containerID = "iCloud.com.example.NotesSync"

  let device: TestDevice
  let folder: URL
  private let server: TestServer
  private let settings: Backup.Settings
  private let running: Mutex<Backup>

  init(_ device: TestDevice, _ server: TestServer, _ settings: Backup.Settings) throws {
    self.device = device
    self.server = server
    self.settings = settings
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("notes-sync-" + UUID().uuidString, isDirectory: true)
    running = Mutex(try Self.launch(device, folder, server, settings))
  }

  private static func launch(
    _ device: TestDevice, _ folder: URL, _ server: TestServer, _ settings: Backup.Settings
  ) throws -> Backup {
    Backup(
      of: try NoteFolder(folder), in: device.container(containerID), settings: settings,
      clock: server.clock)
  }

  var app: Backup { running.withLock { $0 } }

  /// Stops the app and starts it again.
  func relaunch() async throws {
    await app.stop()
    device.relaunch()
    let next = try Self.launch(device, folder, server, settings)
    running.withLock { $0 = next }
    await next.start()
  }

  var texts: [String: String] { get async { await app.overview.texts } }
  var message: String? { get async { await app.overview.message } }

  /// The URL of a file in the folder. Other programs see the same file.
  func file(_ path: String) -> URL { folder.appendingPathComponent(path) }

  func text(in path: String) -> String? {
    (try? Data(contentsOf: file(path))).map { String(decoding: $0, as: UTF8.self) }
  }

  func throwAway() async {
    await app.stop()
    try? FileManager.default.removeItem(at: folder)
  }
}

extension Overview {
  var texts: [String: String] {
    Dictionary(notes.map { ($0.name, $0.text) }, uniquingKeysWith: { first, _ in first })
  }
}
