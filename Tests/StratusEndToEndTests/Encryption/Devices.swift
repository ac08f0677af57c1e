import CloudKit
import StratusAccounts
import StratusKit
import StratusTesting
import StratusTransport
import StratusWire
import Testing

/// The key files of some devices. The files are removed when this object is released.
final class KeyFolder: Sendable {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-devices-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ device: String) -> URL { url.appendingPathComponent("\(device)/keys.json") }

  /// Copies the account's key from one device to another, as a user does.
  func move(from: String, to: String) throws {
    let text = try RecoveryKey(#require(try DeviceKeys(file: file(from)).all().first)).text
    let key = try #require(RecoveryKey(text: text))
    try DeviceKeys(file: file(to)).add(key.accountKey)
  }
}

extension Cloud {
  /// The private database of a user (by default Ann) on the device with this name. Each device has
  /// its own key file.
  func device(
    _ name: String, _ keys: KeyFolder, of email: String = "ann@example.org",
    by exchange: (any HTTPExchange)? = nil
  ) async throws -> CKDatabase {
    try await container(name, keys, of: email, by: exchange).privateCloudDatabase
  }

  /// The container of a user (by default Ann) on the device with this name.
  func container(
    _ name: String, _ keys: KeyFolder, of email: String = "ann@example.org",
    by exchange: (any HTTPExchange)? = nil
  ) async throws -> CKContainer {
    let tokens = try await server.tokens(email: email)
    return CKContainer(
      identifier: Self.containerID,
      settings: CKContainer.Settings(
        environment: .development, apiToken: tokens.apiToken, webAuthToken: tokens.webAuthToken,
        keysFile: keys.file(name)),
      exchange: exchange ?? server.exchange, timing: FakeClock().timing)
  }

  /// The functions of `stratus keys` on the device with this name.
  func accountKeys(_ name: String, _ keys: KeyFolder) async throws -> AccountKeys {
    AccountKeys(connection: try await connection(), deviceKeys: DeviceKeys(file: keys.file(name)))
  }

  /// A connection of Ann, which sends single requests without the classes of the framework.
  func connection() async throws -> Connection {
    let tokens = try await server.tokens(email: "ann@example.org")
    return Connection(
      to: Connection.Address(
        url: "http://stratus.test", container: Self.containerID, environment: .development,
        deviceID: "keys"),
      apiToken: tokens.apiToken, webAuthToken: tokens.webAuthToken, exchange: server.exchange,
      timing: FakeClock().timing)
  }
}

/// Runs a test with a server and two devices of one account. Device `a` has created the zone and
/// the account key. Device `b` has received a copy of the key.
func withTwoDevices(
  _ body: (_ cloud: Cloud, _ keys: KeyFolder, _ a: CKDatabase, _ b: CKDatabase) async throws
    -> Void
) async throws {
  try await withCloud { cloud in
    let keys = KeyFolder()
    let a = try await cloud.device("a", keys)
    try await a.save(CKRecordZone(zoneID: zoneZ))
    try await a.save(secret("first", "the first"))
    try keys.move(from: "a", to: "b")
    try await body(cloud, keys, a, try await cloud.device("b", keys))
  }
}

/// A new note with a plain title and an encrypted text.
func secret(_ name: String, _ text: String, in zoneID: CKRecordZone.ID = zoneZ) -> CKRecord {
  let record = note(name, in: zoneID, title: "plain")
  record.encryptedValues["text"] = text
  return record
}

extension CKRecord {
  /// The encrypted text of a note.
  var text: String? { encryptedValues["text"] }
}
