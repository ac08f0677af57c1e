import CloudKit
import StratusTesting
import Testing

/// A server with the user Alice, her phone and her laptop, and a zone with one note.
struct Stage: Sendable {
  static let containerID = "iCloud.com.example.App"
  static let zoneID = CKRecordZone.ID(zoneName: "Notes")

  let server: TestServer
  let alice: TestAccount
  let phone: TestDevice
  let laptop: TestDevice

  init() async throws {
    server = try await TestServer()
    alice = try await server.account("alice@example.com")
    phone = alice.device("phone")
    laptop = alice.device("laptop")
    try await database.save(CKRecordZone(zoneID: Self.zoneID))
    try await database.save(Self.note("first"))
  }

  /// The phone's private database.
  var database: CKDatabase { phone.container(Self.containerID).privateCloudDatabase }
  var laptopDatabase: CKDatabase { laptop.container(Self.containerID).privateCloudDatabase }
  var publicDatabase: CKDatabase { phone.container(Self.containerID).publicCloudDatabase }

  static func recordID(_ name: String) -> CKRecord.ID {
    CKRecord.ID(recordName: name, zoneID: zoneID)
  }

  static func note(_ name: String, _ text: String = "text") -> CKRecord {
    let record = CKRecord(recordType: "Note", recordID: recordID(name))
    record["text"] = text
    return record
  }

  /// Shares the first note.
  func share() async throws -> CKShare {
    let note = try await database.record(for: Self.recordID("first"))
    let share = CKShare(rootRecord: note)
    let (results, _) = try await database.modifyRecords(saving: [note, share], deleting: [])
    for result in results.values { _ = try result.get() }
    return share
  }

  func fetch(_ name: String = "first") async throws {
    _ = try await database.record(for: Self.recordID(name))
  }

  func save(_ name: String = "second") async throws {
    try await database.save(Self.note(name))
  }
}

/// Runs a test with a new stage.
func withStage(_ body: (Stage) async throws -> Void) async throws {
  let stage = try await Stage()
  do { try await body(stage) } catch {
    await stage.server.stop()
    throw error
  }
  await stage.server.stop()
}

/// Expects that a call fails with an error of this code.
func expect(
  _ code: CKError.Code, at location: SourceLocation = #_sourceLocation,
  from body: () async throws -> Void
) async {
  let failure = await failure(of: body)
  #expect(failure?.code == code, "\(String(describing: failure))", sourceLocation: location)
}

/// Returns the error of a call, or nil if the call succeeds.
func failure(of body: () async throws -> Void) async -> CKError? {
  do { try await body() } catch { return error as? CKError ?? CKError(.internalError) }
  return nil
}

func code(_ error: (any Error)?) -> CKError.Code? { (error as? CKError)?.code }

func code<Value>(_ result: Result<Value, any Error>?) -> CKError.Code? {
  if case .failure(let error) = result { return code(error) }
  return nil
}
