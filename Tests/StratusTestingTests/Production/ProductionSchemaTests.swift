import CloudKit
import Foundation
import StratusTesting
import Testing

/// Apps that run with production rules (`docs/guide/testing-against-production.md`).
@Suite struct `A server with a production schema` {
  private static let schema = """
    DEFINE SCHEMA

        CREATE ROLE Curator;

        RECORD TYPE Museum (
            "___recordID" REFERENCE QUERYABLE,
            name          STRING QUERYABLE,
            GRANT READ TO "_world",
            GRANT CREATE, WRITE TO Curator
        );

        RECORD TYPE Note (
            "___modTime" TIMESTAMP SORTABLE,
            text         STRING QUERYABLE SORTABLE,
            number       INT64,
            GRANT WRITE TO "_creator",
            GRANT CREATE TO "_icloud",
            GRANT READ TO "_world"
        );

        RECORD TYPE Users (
            roles LIST<INT64>,
            GRANT WRITE TO "_creator",
            GRANT READ TO "_world"
        );

    """
  private static let container = "iCloud.com.example.Notes"

  /// Runs a test with a schema file in a new folder, and removes the folder afterwards.
  private func withFile(_ text: String, _ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-schema-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("notes.ckdb")
    try Data(text.utf8).write(to: file)
    try await body(file)
  }

  private func withPhone(
    _ body: (_ alice: TestAccount, _ notes: CKDatabase) async throws -> Void
  ) async throws {
    try await withFile(Self.schema) { file in
      let server = try await TestServer(schema: .production(file))
      let alice = try await server.account("alice@example.com")
      try await body(
        alice, alice.device("phone").container(Self.container).privateCloudDatabase)
      await server.stop()
    }
  }

  private func code(_ body: () async throws -> Void) async -> CKError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? CKError)?.code
    }
  }

  private func note(_ fields: [String: any CKRecordValueProtocol] = [:], type: String = "Note")
    -> CKRecord
  {
    let record = CKRecord(recordType: type)
    for (key, value) in fields { record[key] = value }
    return record
  }

  @Test
  func `a test server saves and queries everything that the schema file contains`() async throws {
    try await withPhone { _, notes in
      try await notes.save(note(["text": "Milk", "number": 1]))
      let query = CKQuery(
        recordType: "Note", predicate: NSPredicate(format: "text == %@", "Milk"))
      query.sortDescriptors = [NSSortDescriptor(key: "modificationDate", ascending: true)]
      #expect(try await notes.records(matching: query).matchResults.count == 1)
    }
  }

  @Test
  func `a test server refuses types, fields and indexes that the schema file lacks`() async throws {
    try await withPhone { _, notes in
      #expect(await code { try await notes.save(note(type: "Diary")) } == .invalidArguments)
      #expect(await code { try await notes.save(note(["due": Date()])) } == .invalidArguments)
      for (type, format) in [
        ("Note", "number == 1"), ("Note", "due == 1"), ("Note", "TRUEPREDICATE"),
        ("Diary", "TRUEPREDICATE"),
      ] {
        let query = CKQuery(recordType: type, predicate: NSPredicate(format: format))
        let found = await code { _ = try await notes.records(matching: query) }
        #expect(found == .invalidArguments || found == .unknownItem, "\(type) \(format)")
      }
    }
  }

  @Test func `a test server applies the grants and roles of the schema file`() async throws {
    try await withFile(Self.schema) { file in try await checkGrants(file) }
  }

  private func checkGrants(_ file: URL) async throws {
    let server = try await TestServer(schema: .production(file.path))
    let alice = try await server.account("alice@example.com")
    let museums = alice.device("phone").container(Self.container).publicCloudDatabase
    let museum = note(["name": "Louvre"], type: "Museum")
    #expect(await code { try await museums.save(museum) } == .permissionFailure)
    try await alice.grantRole("Curator", in: Self.container)
    try await museums.save(museum)
    let bob = try await server.account("bob@example.com")
    let seen = bob.device("tablet").container(Self.container).publicCloudDatabase
    #expect(try await seen.record(for: museum.recordID)["name"] == "Louvre")
    #expect(
      await code { _ = try await seen.deleteRecord(withID: museum.recordID) }
        == .permissionFailure)
    try await alice.revokeRole("Curator", in: Self.container)
    museum["name"] = "Prado"
    #expect(await code { try await museums.save(museum) } == .permissionFailure)
    #expect(
      await code { try await alice.grantRole("Boss", in: Self.container) } == .unknownItem)
    await server.stop()
  }

  @Test func `the direct database access of tests follows the schema file, too`() async throws {
    try await withPhone { alice, notes in
      let database = try await alice.database(Self.container)
      try await database.save([note(["text": "Milk"])])
      let query = CKQuery(
        recordType: "Note", predicate: NSPredicate(format: "text == %@", "Milk"))
      #expect(try await notes.records(matching: query).matchResults.count == 1)
      #expect(
        await code { try await database.save([note(["due": Date()])]) } == .invalidArguments)
    }
  }

  @Test
  func `the error for a faulty schema file contains the positions of the faults`() async throws {
    let text = "DEFINE SCHEMA\n\n    RECORD TYPE Note (\n        text TEXT\n    );\n"
    try await withFile(text) { file in
      let error = await #expect(throws: SchemaFileError.self) {
        _ = try await TestServer(schema: .production(file))
      }
      let fault = error?.faults.first ?? ""
      #expect(fault.hasPrefix("\(file.path):4:14: "), "\(fault)")
      let missing = file.deletingLastPathComponent().appendingPathComponent("none.ckdb")
      await #expect(throws: SchemaFileError.self) {
        _ = try await TestServer(schema: .production(missing))
      }
    }
  }
}
