import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `A long-lived operation` {
  private static let zoneY = CKRecordZone.ID(zoneName: "Y")

  private static func longLived<Operation: CKOperation>(_ operation: Operation) -> Operation {
    operation.configuration.isLongLived = true
    return operation
  }

  /// A server that immediately answers saves to zone Z. It answers saves to zone Y when the gate
  /// opens. When the request for zone Y arrives, `snapshot` copies the disk.
  private static func halting(
    _ disk: DiskScene, _ gate: Gate, _ snapshot: DiskSnapshot, _ arrival: Gate
  ) -> FakeServer {
    let server = FakeServer()
    server.onRaw(ModifyRecords.path) { (call) async throws(NetworkFailure) in
      guard let request = try? call.request(ModifyRecords.Request.self) else {
        throw .lostBeforeSending
      }
      if request.zoneID?.zoneName == "Y" {
        snapshot.take(of: disk)
        arrival.open()
        await gate.pass()
      }
      return HTTPResponse(status: 200, body: accepted(request).jsonBytes)
    }
    return server
  }

  /// Saves one record in Z and one in Y, and copies the disk when the request for Y arrives. The
  /// copy is the disk of a process that died while the process waited for the answer.
  ///
  /// - Returns: the copy of the disk, and the operation's ID.
  private static func dying(
    _ policy: CKModifyRecordsOperation.RecordSavePolicy
  ) async throws -> (disk: DiskScene, id: String) {
    let (disk, gate, arrival) = (DiskScene(), Gate(), Gate())
    let snapshot = DiskSnapshot()
    let server = halting(disk, gate, snapshot, arrival)
    let operation = longLived(
      CKModifyRecordsOperation(recordsToSave: [note("a"), note("b", in: zoneY)]))
    operation.savePolicy = policy
    let container = disk.container(on: server)
    async let run: Void = container.privateCloudDatabase.run(operation)
    await arrival.pass()
    gate.open()
    await run
    return (try #require(snapshot.disk), operation.operationID)
  }

  @Test
  func `a long-lived operation is stored before its request, and its persisted block runs once`()
    async throws
  {
    let (disk, server, journal) = (DiskScene(), FakeServer(), Journal())
    server.on(LookupRecords.self) { _ in
      journal.note("request \(disk.operations.ids(now: 0).count)")
      return RecordsResponse(records: [.record(stored("a"))])
    }
    let operation = Self.longLived(CKFetchRecordsOperation(recordIDs: [id("a")]))
    operation.longLivedOperationWasPersistedBlock = { journal.note("persisted") }
    operation.perRecordResultBlock = { _, _ in journal.note("record") }
    await disk.container(on: server).privateCloudDatabase.run(operation)
    #expect(Set(journal.all.prefix(2)) == ["persisted", "request 1"])
    #expect(journal.all.filter { $0 == "persisted" }.count == 1)
    #expect(journal.all.last == "record")
  }

  @Test
  func `a long-lived operation is removed from disk after its completion block returns`()
    async throws
  {
    let (disk, server, journal) = (DiskScene(), FakeServer(), Journal())
    server.on(LookupRecords.self) { _ in RecordsResponse(records: [.record(stored("a"))]) }
    let container = disk.container(on: server)
    let operation = Self.longLived(CKFetchRecordsOperation(recordIDs: [id("a")]))
    await withCheckedContinuation { continuation in
      operation.completionBlock = {
        journal.note("\(disk.operations.ids(now: 0).count)")
        continuation.resume()
      }
      container.privateCloudDatabase.add(operation)
    }
    #expect(journal.all == ["1"])
    #expect(try await eventually { try await container.allLongLivedOperationIDs().isEmpty })
  }

  @Test
  func `an operation is not stored unless its configuration makes it long-lived`() async throws {
    let (disk, server, journal) = (DiskScene(), FakeServer(), Journal())
    server.on(LookupRecords.self) { _ in
      journal.note("request \(disk.operations.ids(now: 0).count)")
      return RecordsResponse(records: [.record(stored("a"))])
    }
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    operation.longLivedOperationWasPersistedBlock = { journal.note("persisted") }
    await disk.container(on: server).privateCloudDatabase.run(operation)
    #expect(journal.all == ["request 0"])
  }

  @Test
  func `a long-lived operation resumes in a new process with the first unanswered request`()
    async throws
  {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let container = disk.container(on: server)
    #expect(try await container.allLongLivedOperationIDs() == [operationID])
    let operation = try #require(
      try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation)
    #expect(operation.operationID == operationID)
    #expect(operation.isLongLived)
    #expect(operation.savePolicy == .changedKeys)
    let journal = Journal()
    operation.perRecordSaveBlock = { recordID, result in
      let tag = (try? result.get())?.recordChangeTag
      journal.note("\(recordID.recordName) \(tag ?? "none")")
    }
    operation.modifyRecordsResultBlock = { journal.note("end \(code($0) == nil)") }
    await withCheckedContinuation { continuation in
      operation.completionBlock = { continuation.resume() }
      container.add(operation)
    }
    #expect(journal.all == ["a t2", "b t2", "end true"])
    let asked = try server.calls.map { try $0.request(ModifyRecords.Request.self).zoneID?.zoneName }
    #expect(asked == ["Y"])
    #expect(try await eventually { try await container.allLongLivedOperationIDs().isEmpty })
    #expect(try await container.longLivedOperation(for: operationID) == nil)
  }

  @Test
  func `a long-lived operation does not repeat a request that must not run twice`() async throws {
    let (disk, operationID) = try await Self.dying(.ifServerRecordUnchanged)
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let container = disk.container(on: server)
    let operation = try #require(
      try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation)
    let journal = Journal()
    operation.perRecordSaveBlock = { id, _ in journal.note(id.recordName) }
    operation.modifyRecordsResultBlock = { journal.note("\(code($0)?.rawValue ?? 0)") }
    await container.privateCloudDatabase.run(operation)
    #expect(journal.all == ["a", "34"])
    #expect(server.calls.isEmpty)
  }

  @Test func `a cancelled long-lived operation is removed from disk`() async throws {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let container = disk.container(on: FakeServer())
    let operation = try await container.longLivedOperation(for: operationID)
    operation?.cancel()
    #expect(try await container.allLongLivedOperationIDs() == [])
  }

  @Test func `a long-lived operation can be fetched by only one process at a time`() async throws {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let (first, second) = (disk.container(on: FakeServer()), disk.container(on: FakeServer()))
    var operation = try await first.longLivedOperation(for: operationID)
    #expect(operation != nil)
    #expect(try await second.longLivedOperation(for: operationID) == nil)
    #expect(try await second.allLongLivedOperationIDs() == [operationID])
    operation = nil
    #expect(operation == nil)
    #expect(try await second.longLivedOperation(for: operationID) != nil)
  }

  /// A server whose current user is not the user that began the operation.
  private static func serverOfAnother() -> FakeServer {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    server.on(FetchCaller.self) { _ in
      FetchCaller.Response(user: UserIdentity(userRecordName: "_other"))
    }
    return server
  }

  /// Returns a journal of the results that an operation reports to the app.
  private static func journal(_ operation: CKModifyRecordsOperation) -> Journal {
    let journal = Journal()
    operation.perRecordSaveBlock = { recordID, _ in journal.note(recordID.recordName) }
    operation.modifyRecordsResultBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
    return journal
  }

  /// Resumes an operation as the user that began it.
  ///
  /// - Returns: the reports of the operation.
  private static func goneOnByOwner(
    on disk: DiskScene, _ operationID: String
  ) async throws -> [String] {
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let container = disk.container(on: server)
    #expect(try await container.allLongLivedOperationIDs() == [operationID])
    var again: CKModifyRecordsOperation?
    // The earlier container of the operation releases the operation after a short time.
    _ = try await eventually {
      again =
        try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation
      return again != nil
    }
    let operation = try #require(again)
    let journal = journal(operation)
    await container.privateCloudDatabase.run(operation)
    return journal.all
  }

  @Test
  func `another user can neither list nor fetch a user's long-lived operation`() async throws {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let other = disk.container(on: Self.serverOfAnother(), webAuthToken: "other")
    #expect(try await other.allLongLivedOperationIDs() == [])
    #expect(try await other.longLivedOperation(for: operationID) == nil)
    let own = disk.container(on: FakeServer())
    #expect(try await own.allLongLivedOperationIDs() == [operationID])
    #expect(try await own.longLivedOperation(for: operationID) != nil)
  }

  @Test func `a long-lived operation waits for its own user after another user has signed in`()
    async throws
  {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let server = Self.serverOfAnother()
    let container = disk.container(on: server)
    do {
      let operation = try #require(
        try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation)
      let journal = Self.journal(operation)
      container.signIn(webAuthToken: "other")
      await container.privateCloudDatabase.run(operation)
      #expect(journal.all == ["end 9"])
      #expect(server.calls.isEmpty)
      operation.cancel()
    }
    #expect(try await container.allLongLivedOperationIDs() == [])
    #expect(try await Self.goneOnByOwner(on: disk, operationID) == ["a", "b", "end 0"])
  }

  /// The outcome of a request during which another user signs in.
  enum Fate: CaseIterable {
    case busy, lost, refused, offline

    /// The error that the operation reports.
    var error: CKError.Code {
      switch self {
      case .busy, .lost: .notAuthenticated
      case .refused: .invalidArguments
      case .offline: .networkUnavailable
      }
    }
  }

  /// Signs in another user while the server handles a request that fails.
  private static func switching(
    _ container: CKContainer, on server: FakeServer, _ fate: Fate
  ) {
    server.onRaw(ModifyRecords.path) { (_) async throws(NetworkFailure) in
      container.signIn(webAuthToken: "other")
      switch fate {
      case .busy:
        return HTTPResponse(
          status: 503, body: refusal(.tryAgainLater, Reason.storeBusy).jsonBytes)
      case .refused: return HTTPResponse(status: 400, body: refusal(.badRequest).jsonBytes)
      case .lost: throw .lostAfterSending
      case .offline: throw .notConnected
      }
    }
  }

  @Test(arguments: Fate.allCases)
  func `a long-lived operation is kept for its user if another user signs in during a request`(
    _ fate: Fate
  ) async throws {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let server = Self.serverOfAnother()
    let container = disk.container(on: server)
    Self.switching(container, on: server, fate)
    do {
      let operation = try #require(
        try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation)
      let journal = Self.journal(operation)
      await container.privateCloudDatabase.run(operation)
      #expect(journal.all.first == "a")
      #expect(journal.all.last == "end \(fate.error.rawValue)")
      #expect(server.calls.count == 1)
    }
    #expect(try await container.allLongLivedOperationIDs() == [])
    #expect(try await Self.goneOnByOwner(on: disk, operationID) == ["a", "b", "end 0"])
  }

  @Test
  func `a process keeps its long-lived operation on disk when another user signs in`()
    async throws
  {
    let (disk, server) = (DiskScene(), Self.serverOfAnother())
    let container = disk.container(on: server)
    Self.switching(container, on: server, .busy)
    let operation = Self.longLived(CKModifyRecordsOperation(recordsToSave: [note("a")]))
    operation.savePolicy = .changedKeys
    let journal = Self.journal(operation)
    await container.privateCloudDatabase.run(operation)
    #expect(journal.all == ["end 9"])
    operation.cancel()
    #expect(
      try await Self.goneOnByOwner(on: disk, operation.operationID) == ["a", "end 0"])
  }

  @Test
  func `a long-lived operation is kept when its user signs out during its uploads`() async throws {
    let (disk, server) = (DiskScene(), Self.serverOfAnother())
    let container = disk.container(on: server)
    server.onRaw(UploadAssets.path) { (_) async throws(NetworkFailure) in
      container.signOut()
      throw .lostAfterSending
    }
    let file = server.cacheFolder.appendingPathExtension("file")
    try Data("contents".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let record = note("a")
    record["file"] = CKAsset(fileURL: file)
    let operation = Self.longLived(CKModifyRecordsOperation(recordsToSave: [record]))
    let journal = Self.journal(operation)
    await container.privateCloudDatabase.run(operation)
    #expect(journal.all == ["end 9"])
    #expect(try await container.allLongLivedOperationIDs() == [])
    let own = disk.container(on: FakeServer())
    #expect(try await own.allLongLivedOperationIDs() == [operation.operationID])
  }

  @Test
  func `a long-lived fetch is kept if another user signs in while it requests a download URL`()
    async throws
  {
    let (disk, host) = (DiskScene(), AssetHost())
    let lookups = Mutex(0)
    try host.put("a", "photo", [[1]])
    host.expect([.isAnswered(status: 403)])
    let container = disk.container(on: host.server)
    host.server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      let number = lookups.withLock { count in
        count += 1
        return count
      }
      if number == 1 {
        return HTTPResponse(
          status: 200, body: RecordsResponse(records: [.record(host.record("a"))]).jsonBytes)
      }
      container.signIn(webAuthToken: "other")
      throw .lostAfterSending
    }
    let operation = Self.longLived(CKFetchRecordsOperation(recordIDs: [id("a")]))
    let journal = Journal()
    operation.perRecordResultBlock = { journal.note("a \(code($1)?.rawValue ?? 0)") }
    operation.fetchRecordsResultBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
    await container.privateCloudDatabase.run(operation)
    // The error is reported only for the record. The operation itself succeeds.
    #expect(journal.all == ["a 9", "end 0"])
    let own = disk.container(on: FakeServer())
    #expect(try await own.allLongLivedOperationIDs() == [operation.operationID])
  }

  /// A fetch that runs a closure while the fetch is being written to disk.
  private final class Interrupted: CKFetchRecordsOperation, @unchecked Sendable {
    let isBegun = Mutex(false)
    var interruption: (() -> Void)?

    override var started: Properties {
      let isFirst = isBegun.withLock { isBegun in
        defer { isBegun = true }
        return !isBegun
      }
      if isFirst { interruption?() }
      return super.started
    }
  }

  @Test
  func `a long-lived operation is removed if it is cancelled while another user signs in`()
    async throws
  {
    let (disk, server) = (DiskScene(), FakeServer())
    let container = disk.container(on: server)
    let operation = Self.longLived(CKFetchRecordsOperation(recordIDs: [id("a")]))
    server.onRaw(LookupRecords.path) { (_) async throws(NetworkFailure) in
      container.signIn(webAuthToken: "other")
      operation.cancel()
      throw .lostAfterSending
    }
    await container.privateCloudDatabase.run(operation)
    #expect(server.calls.count == 1)
    #expect(disk.operations.ids(now: 0) == [])
  }

  @Test func `a long-lived operation is not stored if another user signs in during the write`()
    async throws
  {
    let (disk, server) = (DiskScene(), Self.serverOfAnother())
    let container = disk.container(on: server)
    let operation = Self.longLived(Interrupted(recordIDs: [id("a")]))
    operation.interruption = { container.signIn(webAuthToken: "other") }
    let journal = Journal()
    operation.fetchRecordsResultBlock = { journal.note("end \(code($0)?.rawValue ?? 0)") }
    await container.privateCloudDatabase.run(operation)
    #expect(journal.all == ["end 9"])
    #expect(server.calls.isEmpty)
    #expect(disk.operations.ids(now: 0) == [])
  }

  @Test
  func `a user with a new token gets a long-lived operation back once the server names the user`()
    async throws
  {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let server = FakeServer()
    server.on(ModifyRecords.self, accepted)
    let isOnline = Mutex(false)
    server.onRaw(FetchCaller.path) { (_) async throws(NetworkFailure) in
      if !isOnline.withLock({ $0 }) { throw .notConnected }
      let caller = UserIdentity(userRecordName: FakeServer.userName)
      return HTTPResponse(status: 200, body: FetchCaller.Response(user: caller).jsonBytes)
    }
    let container = disk.container(on: server, webAuthToken: "new")
    await #expect { try await container.allLongLivedOperationIDs() } throws: {
      code($0) == .networkUnavailable
    }
    await #expect { try await container.longLivedOperation(for: operationID) } throws: {
      code($0) == .networkUnavailable
    }
    isOnline.withLock { $0 = true }
    #expect(try await container.allLongLivedOperationIDs() == [operationID])
    let operation = try #require(
      try await container.longLivedOperation(for: operationID) as? CKModifyRecordsOperation)
    let journal = Self.journal(operation)
    await container.privateCloudDatabase.run(operation)
    #expect(journal.all == ["a", "b", "end 0"])
  }

  @Test func `a long-lived operation of another container is not listed`() async throws {
    let (disk, operationID) = try await Self.dying(.changedKeys)
    let other = disk.container(on: FakeServer(), identifier: "iCloud.org.example.Other")
    #expect(try await other.allLongLivedOperationIDs() == [])
    #expect(try await other.longLivedOperation(for: operationID) == nil)
  }

  @Test
  func `a long-lived operation of an unknown user can be resumed only with the same credentials`()
    async throws
  {
    let disk = DiskScene()
    do {
      let saved = try disk.saved()
      let container = disk.container(on: FakeServer())
      let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
      #expect(
        LongLivedArchive.save(
          operation, to: saved, scope: .private, account: container.path.connection?.accountDigest))
    }
    let other = disk.container(on: FakeServer(), webAuthToken: "other")
    #expect(try await other.longLivedOperation(for: "A") == nil)
    let same = disk.container(on: FakeServer())
    #expect(try await same.longLivedOperation(for: "A") != nil)
  }
}
