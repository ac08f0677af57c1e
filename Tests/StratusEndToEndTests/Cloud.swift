import CloudKit
import StratusAccounts
import StratusKit
import StratusTesting
import StratusTransport
import Synchronization
import Testing

/// A server, and the devices of its users.
struct Cloud: Sendable {
  static let containerID = "iCloud.org.example.App"

  let server: TestServer

  /// Returns a new device of an account. If the email address is nil, no user is signed in.
  ///
  /// The clock of the device moves only when the device waits.
  func device(
    of email: String? = "ann@example.org",
    in environment: CKContainer.Settings.Environment = .development,
    by exchange: (any HTTPExchange)? = nil, clock: FakeClock = FakeClock(),
    assets: AssetSettings? = nil
  ) async throws -> CKContainer {
    let tokens = try await server.tokens(email: email ?? "ann@example.org")
    return CKContainer(
      identifier: Self.containerID,
      settings: CKContainer.Settings(
        url: URL(string: "http://stratus.test"), environment: environment,
        apiToken: tokens.apiToken, webAuthToken: email == nil ? nil : tokens.webAuthToken),
      exchange: exchange ?? server.exchange, timing: clock.timing, assets: assets)
  }

  /// Returns a device with another container or with other tokens than those of Ann's account.
  func device(
    _ identifier: String, apiToken: String? = nil, webAuthToken: String? = nil
  ) async throws -> CKContainer {
    let tokens = try await server.tokens(email: "ann@example.org")
    return CKContainer(
      identifier: identifier,
      settings: CKContainer.Settings(
        apiToken: apiToken ?? tokens.apiToken, webAuthToken: webAuthToken ?? tokens.webAuthToken),
      exchange: server.exchange)
  }

  /// Returns a network. Each fate applies once, to the next request whose path has the given
  /// ending.
  func network(_ fates: [(path: String, fate: Network.Fate)] = []) -> Network {
    Network(to: server.exchange, fates)
  }

  /// Creates zone Z, and returns the private database of a new device of the account.
  func zone(
    of email: String = "ann@example.org", by exchange: (any HTTPExchange)? = nil,
    clock: FakeClock = FakeClock(), assets: AssetSettings? = nil
  ) async throws -> CKDatabase {
    try await device(of: email).privateCloudDatabase.save(CKRecordZone(zoneID: zoneZ))
    return try await device(of: email, by: exchange, clock: clock, assets: assets)
      .privateCloudDatabase
  }
}

/// Runs a test with a server.
func withCloud(_ body: (Cloud) async throws -> Void) async throws {
  let server = try await TestServer(onDiskIn: nil)
  do {
    try await body(Cloud(server: server))
  } catch {
    await server.stop()
    throw error
  }
  await server.stop()
}

/// A clock that moves only when a task sleeps. It records the length of each sleep.
final class FakeClock: Sendable {
  private let slept = Mutex<[Double]>([])

  var sleeps: [Double] { slept.withLock { $0 } }

  var timing: Timing {
    Timing(
      now: { self.sleeps.reduce(0, +) },
      sleep: { seconds in
        self.slept.withLock { $0.append(seconds) }
        await Task.yield()
      },
      chance: { 0 })
  }
}

let zoneZ = CKRecordZone.ID(zoneName: "Z")
let zoneY = CKRecordZone.ID(zoneName: "Y")

func id(_ name: String, in zoneID: CKRecordZone.ID = zoneZ) -> CKRecord.ID {
  CKRecord.ID(recordName: name, zoneID: zoneID)
}

/// Returns a new note.
func note(
  _ name: String, in zoneID: CKRecordZone.ID = zoneZ, title: String? = nil
) -> CKRecord {
  let record = CKRecord(recordType: "Note", recordID: id(name, in: zoneID))
  record["title"] = title
  return record
}

func code(_ error: (any Error)?) -> CKError.Code? { (error as? CKError)?.code }

func code<Value>(_ result: Result<Value, any Error>?) -> CKError.Code? {
  if case .failure(let error) = result { return code(error) }
  return nil
}

/// Expects that the body throws a `CKError` with this code.
///
/// - Returns: the error.
@discardableResult
func expect<Value>(
  _ code: CKError.Code, at location: SourceLocation = #_sourceLocation,
  from body: () async throws -> Value
) async -> CKError? {
  do {
    let value = try await body()
    Issue.record("expected \(code), got \(value)", sourceLocation: location)
  } catch let error as CKError {
    #expect(error.code == code, "\(error)", sourceLocation: location)
    return error
  } catch {
    Issue.record(error, sourceLocation: location)
  }
  return nil
}

extension CKDatabase {
  /// Runs an operation and waits until it is finished.
  func run(_ operation: CKDatabaseOperation) async {
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      add(operation)
    }
  }

  /// Saves new notes with these names.
  func saveNotes(_ names: [String], in zoneID: CKRecordZone.ID = zoneZ) async throws {
    for start in stride(from: 0, to: names.count, by: 400) {
      let part = names[start..<min(start + 400, names.count)]
      let (results, _) = try await modifyRecords(
        saving: part.map { note($0, in: zoneID, title: $0) }, deleting: [])
      for result in results.values { _ = try result.get() }
    }
  }
}
