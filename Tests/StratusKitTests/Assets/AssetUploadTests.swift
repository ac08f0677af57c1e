import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `A save of files` {
  private let host = AssetHost()
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Returns a new note with a file.
  private func photo(_ name: String, _ bytes: [UInt8]) throws -> CKRecord {
    let record = note(name)
    record["photo"] = CKAsset(fileURL: try folder.file(name, bytes))
    return record
  }

  @Test
  func `a save uploads the bytes of a file, then saves the record with the receipt`() async throws {
    let record = try photo("a", Array("abc".utf8))
    record["title"] = "x"
    let file = (record["photo"] as? CKAsset)?.fileURL
    let saved = try await host.database.save(record)
    #expect(host.log == ["addresses 1", "POST upload 1 bytes 0-2/3", "modify a"])
    guard case .asset(let asset) = host.value("a", "photo") else {
      Issue.record("the field must contain an asset")
      return
    }
    // The SHA-256 checksum of "abc", from FIPS 180.
    #expect(asset.fileChecksum == "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
    #expect(asset.size == 3)
    #expect(asset.receipt == "receipt 1")
    #expect(host.value("a", "title") == .string("x"))
    #expect(saved.changedKeys().isEmpty)
    #expect((saved["photo"] as? CKAsset)?.fileURL == file)
    #expect(contents(saved["photo"] as? CKAsset) == Array("abc".utf8))
  }

  @Test func `a save uploads a large file in several requests`() async throws {
    let sent = bytes(2_500)
    _ = try await host.database.save(try photo("a", sent))
    #expect(
      host.log == [
        "addresses 1", "POST upload 1 bytes 0-999/2500", "POST upload 1 bytes 1000-1999/2500",
        "POST upload 1 bytes 2000-2499/2500", "modify a",
      ])
    #expect(host.files == [sent])
  }

  @Test func `a save uploads an empty file`() async throws {
    _ = try await host.database.save(try photo("a", []))
    #expect(host.log == ["addresses 1", "POST upload 1 ", "modify a"])
    #expect(host.files == [[]])
  }

  @Test func `a save resumes an upload where the connection broke`() async throws {
    let sent = bytes(2_500)
    host.expect([.passes, .breaks(after: 300)])
    _ = try await host.database.save(try photo("a", sent))
    #expect(
      host.log == [
        "addresses 1", "POST upload 1 bytes 0-999/2500", "POST upload 1 bytes 1000-1999/2500",
        "GET upload 1 ", "POST upload 1 bytes 1300-2299/2500",
        "POST upload 1 bytes 2300-2499/2500", "modify a",
      ])
    #expect(host.files == [sent])
  }

  @Test func `a save requests the lost answer of an upload again`() async throws {
    let sent = bytes(1_500)
    host.expect([.answerIsLost, .passes, .answerIsLost])
    _ = try await host.database.save(try photo("a", sent))
    #expect(host.log.count { $0.hasPrefix("POST") } == 2)
    #expect(host.log.count { $0.hasPrefix("GET") } == 2)
    #expect(host.files == [sent])
  }

  @Test func `a save fails after five attempts of an upload without progress`() async throws {
    host.expect(Array(repeating: .fails(.lostAfterSending), count: 20))
    let record = try photo("a", bytes(1_500))
    await #expect { try await host.database.save(record) } throws: { code($0) == .networkFailure }
    #expect(!host.log.contains { $0.hasPrefix("modify") })
    #expect(host.log.count { $0.contains("upload") } == 5)
    #expect(record.changedKeys() == ["photo"])
  }

  @Test func `a save requests a new URL when the upload URL has expired`() async throws {
    let sent = bytes(1_500)
    host.expect([.passes, .isAnswered(status: 403)])
    _ = try await host.database.save(try photo("a", sent))
    #expect(
      host.log == [
        "addresses 1", "POST upload 1 bytes 0-999/1500", "POST upload 1 bytes 1000-1499/1500",
        "addresses 1", "POST upload 2 bytes 0-999/1500", "POST upload 2 bytes 1000-1499/1500",
        "modify a",
      ])
    #expect(host.files == [sent])
  }

  @Test func `a save requests at most three new URLs for a file, and uses each`() async throws {
    host.expect(Array(repeating: .isAnswered(status: 403), count: 20))
    let record = try photo("a", bytes(500))
    await #expect(throws: CKError.self) { try await host.database.save(record) }
    #expect(host.log.count { $0 == "addresses 1" } == 4)
    #expect(host.log.count { $0.hasPrefix("POST") } == 4)
  }

  @Test(arguments: [zoneZ, CKRecordZone.ID.default])
  func `a save does not send an atomic batch when a file does not exist`(
    zoneID: CKRecordZone.ID
  ) async throws {
    let lost = note("lost", in: zoneID)
    lost["photo"] = CKAsset(fileURL: folder.url.appendingPathComponent("nowhere"))
    let other = note("b", in: zoneID)
    other["photo"] = CKAsset(fileURL: try folder.file("b", [1]))
    let (results, deleted) = try await host.database.modifyRecords(
      saving: [other, lost], deleting: [id("c", in: zoneID)])
    #expect(code(results[lost.recordID]) == .assetFileNotFound)
    #expect(code(results[other.recordID]) == .batchRequestFailed)
    #expect(code(deleted[id("c", in: zoneID)]) == .batchRequestFailed)
    #expect(host.log.isEmpty)
  }

  @Test
  func `a save without atomicity saves the other records when a file does not exist`() async throws
  {
    let lost = note("lost")
    lost["photo"] = CKAsset(fileURL: folder.url)
    let other = try photo("b", [1])
    let (results, _) = try await host.database.modifyRecords(
      saving: [lost, other], deleting: [], atomically: false)
    #expect(code(results[lost.recordID]) == .assetFileNotFound)
    #expect(try results[other.recordID]?.get() === other)
    #expect(host.log.last == "modify b")
  }

  @Test func `a save fails if a file changes during its upload`() async throws {
    let record = try photo("a", bytes(2_500))
    let url = try #require((record["photo"] as? CKAsset)?.fileURL)
    host.inTheMiddle.withLock {
      $0 = {
        let handle = try? FileHandle(forWritingTo: url)
        try? handle?.seek(toOffset: 2_400)
        try? handle?.write(contentsOf: Data("changed, and longer than it was before it was".utf8))
        try? handle?.write(contentsOf: Data(bytes(500)))
        try? handle?.close()
      }
    }
    await #expect { try await host.database.save(record) } throws: {
      code($0) == .assetFileModified
    }
    #expect(!host.log.contains { $0.hasPrefix("modify") })
  }

  @Test func `a save fails if a file is replaced during its upload`() async throws {
    let record = try photo("a", bytes(2_500))
    let url = try #require((record["photo"] as? CKAsset)?.fileURL)
    host.inTheMiddle.withLock {
      $0 = { try? Data(bytes(2_500, from: 7)).write(to: url, options: .atomic) }
    }
    await #expect { try await host.database.save(record) } throws: {
      code($0) == .assetFileModified
    }
  }

  @Test func `a save continues if the path of a file is removed during its upload`() async throws {
    let sent = bytes(2_500)
    let record = try photo("a", sent)
    let url = try #require((record["photo"] as? CKAsset)?.fileURL)
    host.inTheMiddle.withLock { $0 = { try? FileManager.default.removeItem(at: url) } }
    _ = try await host.database.save(record)
    #expect(host.files == [sent])
  }

  @Test func `a save uploads equal files once and keeps lists in order`() async throws {
    let one = try folder.file("one", [1])
    let two = try folder.file("two", [2])
    let a = note("a")
    a["photo"] = CKAsset(fileURL: one)
    let b = note("b")
    b["photos"] = [CKAsset(fileURL: two), CKAsset(fileURL: one)]
    _ = try await host.database.modifyRecords(saving: [a, b], deleting: [])
    #expect(host.log.count { $0.hasPrefix("POST") } == 2)
    guard case .asset(let single) = host.value("a", "photo"),
      case .list(.asset, let list) = host.value("b", "photos")
    else {
      Issue.record("the fields must contain assets")
      return
    }
    #expect(list.count == 2)
    #expect(list.last == .asset(single))
    #expect(list.first != .asset(single))
  }

  @Test func `a save uploads at most four files at a time`() async throws {
    let records = try (0..<12).map { try photo("r\($0)", bytes(3_000, from: UInt32($0))) }
    host.inTheMiddle.withLock { $0 = { for _ in 0..<50 { await Task.yield() } } }
    let (results, _) = try await host.database.modifyRecords(saving: records, deleting: [])
    for result in results.values { _ = try result.get() }
    #expect(host.runningMax == 4)
    #expect(host.files.count == 12)
  }

  @Test func `a save of a file reports its progress, which is 1 at the end`() async throws {
    let journal = Mutex<[Double]>([])
    let operation = CKModifyRecordsOperation(recordsToSave: [try photo("a", bytes(4_000))])
    operation.perRecordProgressBlock = { record, progress in
      journal.withLock { $0.append(progress) }
    }
    await host.database.run(operation)
    let values = journal.withLock { $0 }
    #expect(values.count == 5)
    #expect(values.dropLast().allSatisfy { $0 > 0 && $0 < 1 })
    #expect(values == values.sorted())
    #expect(values.last == 1)
  }

  @Test func `a cancelled save stops its upload`() async throws {
    let gate = Gate()
    let arrived = Gate()
    host.inTheMiddle.withLock {
      $0 = {
        arrived.open()
        await gate.pass()
      }
    }
    let operation = CKModifyRecordsOperation(recordsToSave: [try photo("a", bytes(9_000))])
    let result = Mutex<Result<Void, any Error>?>(nil)
    operation.modifyRecordsResultBlock = { outcome in result.withLock { $0 = outcome } }
    async let run: Void = host.database.run(operation)
    await arrived.pass()
    operation.cancel()
    gate.open()
    await run
    #expect(code(result.withLock { $0 }) == .operationCancelled)
    #expect(host.files.isEmpty)
    #expect(!host.log.contains { $0.hasPrefix("modify") })
  }

  @Test func `a save does not upload a file that has not changed`() async throws {
    let record = try await host.database.save(try photo("a", [1, 2]))
    host.clearLog()
    record["title"] = "new"
    _ = try await host.database.save(record)
    #expect(host.log == ["modify a"])
    #expect(host.value("a", "photo") != nil)
    record["photo"] = nil
    _ = try await host.database.save(record)
    #expect(host.value("a", "photo") == nil)
    #expect(host.log == ["modify a", "modify a"])
  }

  @Test
  func `a save with the policy allKeys first asks whether the server has the files`() async throws {
    let record = try await host.database.save(try photo("a", [1, 2]))
    host.clearLog()
    _ = try await host.database.modifyRecords(
      saving: [record], deleting: [], savePolicy: .allKeys)
    #expect(host.log == ["rereference 1", "modify a"])
  }

  @Test
  func `a save uploads a file again if the field on the server now holds another file`()
    async throws
  {
    let record = try await host.database.save(try photo("a", [1, 2]))
    try host.put("a", "photo", [[3]])
    host.clearLog()
    _ = try await host.database.modifyRecords(
      saving: [record], deleting: [], savePolicy: .allKeys)
    #expect(
      host.log == ["rereference 1", "addresses 1", "POST upload 2 bytes 0-1/2", "modify a"])
  }

  @Test func `a file is uploaded only once even if the first save is a conflict`() async throws {
    let record = try photo("a", bytes(1_500))
    host.server.on(ModifyRecords.self) { request in
      RecordsResponse(records: [
        .failure(
          RecordFailure(
            recordName: "a", error: refusal(.conflict), serverRecord: stored("a", tag: "t9")))
      ])
    }
    var server: CKRecord?
    do {
      _ = try await host.database.save(record)
    } catch let error as CKError {
      server = error.serverRecord
    }
    let merged = try #require(server)
    merged["photo"] = record["photo"]
    host.clearLog()
    host.server.on(ModifyRecords.self, accepted)
    _ = try await host.database.save(merged)
    #expect(host.log.isEmpty)
    let last = try #require(host.server.calls.last)
    let request = try last.request(ModifyRecords.Request.self)
    #expect(request.operations[0].fieldsText.contains("receipt 1"))
  }
}
