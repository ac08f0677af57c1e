import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `A fetch of files` {
  private let host = AssetHost()

  private func fetch(_ name: String = "a") async throws -> CKAsset? {
    try await host.database.record(for: id(name))["photo"] as? CKAsset
  }

  @Test func `a fetch returns the bytes of a file, which it downloads in ranges`() async throws {
    let stored = bytes(2_500)
    try host.put("a", "photo", [stored])
    let asset = try await fetch()
    #expect(contents(asset) == stored)
    #expect(
      host.log == [
        "lookup", "GET download bytes=0-999", "GET download bytes=1000-1999",
        "GET download bytes=2000-2499",
      ])
  }

  @Test func `a fetch returns lists of files in order, and empty files`() async throws {
    try host.put("a", "photos", [[1], [], [3, 3]], isList: true)
    let assets = try await host.database.record(for: id("a"))["photos"] as? [CKAsset]
    #expect(assets?.map { contents($0) } == [[1], [], [3, 3]])
  }

  @Test func `a fetch downloads equal bytes once and gives each asset its own file`() async throws {
    let stored = bytes(1_500)
    try host.put("a", "photo", [stored])
    try host.put("b", "photo", [stored])
    let results = try await host.database.records(for: [id("a"), id("b")])
    let a = try results[id("a")]?.get()["photo"] as? CKAsset
    let b = try results[id("b")]?.get()["photo"] as? CKAsset
    let again = try await fetch()
    let urls = try [a, b, again].map { try #require($0?.fileURL) }
    #expect(Set(urls).count == 3)
    #expect(host.log.count { $0.hasPrefix("GET") } == 2)
    for url in urls {
      let handle = try FileHandle(forWritingTo: url)
      try handle.write(contentsOf: Data("mine".utf8))
      try handle.close()
      try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("moved"))
    }
    let last = try await fetch()
    #expect(contents(last) == stored)
  }

  @Test(arguments: [1, 2, 3])
  func `a fetched file stays the same when the app changes the file of another asset`(changed: Int)
    async throws
  {
    let stored = bytes(500)
    try host.put("a", "photo", [stored])
    var assets: [CKAsset] = []
    for _ in 1...3 { assets.append(try #require(try await fetch())) }
    let url = try #require(assets[changed - 1].fileURL)
    let handle = try FileHandle(forWritingTo: url)
    try handle.write(contentsOf: Data("mine".utf8))
    try handle.close()
    for (place, asset) in assets.enumerated() where place != changed - 1 {
      #expect(contents(asset) == stored)
    }
    #expect(contents(try await fetch()) == stored)
  }

  @Test func `a fetch resumes a download where the connection broke`() async throws {
    let stored = bytes(2_500)
    try host.put("a", "photo", [stored])
    host.expect([.passes, .fails(.lostAfterSending), .fails(.lostBeforeSending)])
    #expect(contents(try await fetch()) == stored)
    #expect(host.log.filter { $0.hasSuffix("=0-999") }.count == 1)
    #expect(host.log.filter { $0.hasSuffix("=1000-1999") }.count == 3)
  }

  @Test
  func `a fetch accepts the whole file from a server that does not support ranges`() async throws {
    let stored = bytes(2_500)
    try host.put("a", "photo", [stored])
    host.server.onBytes { (_) async throws(NetworkFailure) in
      HTTPResponse(status: 200, body: stored)
    }
    #expect(contents(try await fetch()) == stored)
  }

  @Test func `a fetch repeats the download of damaged bytes once`() async throws {
    let stored = bytes(500)
    try host.put("a", "photo", [stored])
    host.expect([.isDamaged])
    #expect(contents(try await fetch()) == stored)
    try host.put("b", "photo", [bytes(400)])
    host.expect([.isDamaged, .isDamaged])
    await #expect { try await fetch("b") } throws: { code($0) == .assetNotAvailable }
    #expect(contents(try await fetch("b")) == bytes(400))
  }

  @Test func `a fetch requests a new URL when the download URL has expired`() async throws {
    let stored = bytes(1_500)
    try host.put("a", "photo", [stored])
    host.expect([.passes, .isAnswered(status: 403)])
    #expect(contents(try await fetch()) == stored)
    #expect(
      host.log == [
        "lookup", "GET download bytes=0-999", "GET download bytes=1000-1499", "lookup",
        "GET download bytes=1000-1499",
      ])
  }

  @Test func `a fetch requests at most three new URLs for a file, and uses each`() async throws {
    try host.put("a", "photo", [bytes(500)])
    host.expect(Array(repeating: .isAnswered(status: 403), count: 20))
    let result = try await host.database.records(for: [id("a")])[id("a")]
    #expect(code(result) == .assetNotAvailable)
    // The first lookup fetches the record.
    #expect(host.log.count { $0 == "lookup" } == 4)
    #expect(host.log.count { $0.hasPrefix("GET") } == 4)
  }

  @Test func `a fetch reports a missing file as the error of the record`() async throws {
    try host.put("a", "photo", [[1]])
    host.forgetFiles()
    try host.put("b", "photo", [[2]])
    let results = try await host.database.records(for: [id("a"), id("b")])
    #expect(code(results[id("a")]) == .assetNotAvailable)
    #expect(contents(try results[id("b")]?.get()["photo"] as? CKAsset) == [2])
  }

  @Test
  func `a fetch reports a network failure of a download as the error of the record`() async throws {
    try host.put("a", "photo", [[1]])
    host.expect([.fails(.notConnected)])
    let result = try await host.database.records(for: [id("a")])[id("a")]
    #expect(code(result) == .networkUnavailable)
  }

  @Test
  func `a fetch downloads at most four files at a time and returns records in order`() async throws
  {
    let names = (0..<12).map { "r\($0)" }
    for (place, name) in names.enumerated() {
      try host.put(name, "photo", [bytes(3_000 - 200 * place, from: UInt32(place))])
    }
    host.inTheMiddle.withLock { $0 = { for _ in 0..<50 { await Task.yield() } } }
    let operation = CKFetchRecordsOperation(recordIDs: names.map { id($0) })
    let journal = Journal()
    operation.perRecordResultBlock = { recordID, result in
      let count = contents((try? result.get())?["photo"] as? CKAsset)?.count ?? -1
      journal.note("\(recordID.recordName) \(count)")
    }
    await host.database.run(operation)
    #expect(journal.all == names.enumerated().map { "\($0.element) \(3_000 - 200 * $0.offset)" })
    #expect(host.runningMax == 4)
  }

  @Test func `a fetch of a file reports its progress, which is 1 at the end`() async throws {
    try host.put("a", "photo", [bytes(3_000)])
    let operation = CKFetchRecordsOperation(recordIDs: [id("a")])
    let journal = Mutex<[Double]>([])
    operation.perRecordProgressBlock = { _, progress in journal.withLock { $0.append(progress) } }
    await host.database.run(operation)
    let values = journal.withLock { $0 }
    #expect(values.count == 4)
    #expect(values.dropLast().allSatisfy { $0 > 0 && $0 < 1 })
    #expect(values.last == 1)
  }

  @Test func `a conflict does not download the files of the server's record`() async throws {
    try host.put("a", "photo", [[1]])
    let server = host.record("a")
    host.server.on(ModifyRecords.self) { _ in
      RecordsResponse(records: [
        .failure(
          RecordFailure(recordName: "a", error: refusal(.conflict), serverRecord: server))
      ])
    }
    var found: CKRecord?
    do {
      _ = try await host.database.save(note("a"))
    } catch let error as CKError {
      found = error.serverRecord
    }
    let asset = try #require(found?["photo"] as? CKAsset)
    #expect(asset.fileURL == nil)
    #expect(host.log.isEmpty)
  }

  @Test
  func `an app can copy an unchanged asset to another record without an upload`() async throws {
    try host.put("a", "photo", [[1, 2]])
    let asset = try #require(try await fetch())
    let copy = note("b")
    copy["photo"] = asset
    host.clearLog()
    _ = try await host.database.save(copy)
    #expect(host.log == ["rereference 1", "modify b"])
    let other = try #require(try await fetch())
    try Data([9]).write(to: try #require(other.fileURL))
    copy["photo"] = other
    host.clearLog()
    _ = try await host.database.save(copy)
    #expect(host.log == ["addresses 1", "POST upload 1 bytes 0-0/1", "modify b"])
  }

  @Test func `an app can copy an asset to another record without the local file`() async throws {
    try host.put("a", "photo", [[1, 2]])
    let asset = try #require(try await fetch())
    try FileManager.default.removeItem(at: try #require(asset.fileURL))
    let copy = note("b")
    copy["photo"] = asset
    _ = try await host.database.save(copy)
    #expect(host.value("b", "photo") != nil)
    host.clearLog()
    host.server.on(RereferenceAssets.self) { request in
      RereferenceAssets.Response(
        items: request.fields.map { .failure(recordName: $0.recordName ?? "", refusal(.notFound)) })
    }
    let lost = note("c")
    lost["photo"] = asset
    await #expect { try await host.database.save(lost) } throws: { code($0) == .assetFileNotFound }
  }

  /// Makes the server return these records as the changes of the zone.
  private func answerChanges(_ names: [String]) {
    let records = names.map(host.record)
    host.server.on(FetchZoneChanges.self) { request in
      FetchZoneChanges.Response(zones: [
        .changes(
          ZoneChanges(
            zoneID: ZoneID(zoneName: "Z", ownerRecordName: FakeServer.userName),
            records: records.map(RecordItem.record), syncToken: "s", moreComing: false))
      ])
    }
  }

  @Test func `a fetch of changes fails for a zone when the cache folder cannot be written`()
    async throws
  {
    try host.put("a", "photo", [bytes(100)])
    answerChanges(["a"])
    try Data().write(to: host.server.cacheFolder)
    let journal = Journal()
    let whole = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneZ])
    whole.recordWasChangedBlock = { recordID, _ in journal.note(recordID.recordName) }
    whole.recordZoneFetchResultBlock = { zoneID, result in
      journal.note("\(zoneID.zoneName) \(code(result).map { "\($0)" } ?? "done")")
    }
    whole.fetchRecordZoneChangesResultBlock = { result in
      journal.note("end \(code(result).map { "\($0)" } ?? "done")")
    }
    await host.database.run(whole)
    #expect(journal.all == ["Z assetNotAvailable", "end done"])
    let page = CKFetchRecordChangesOperation(recordZoneID: zoneZ, previousServerChangeToken: nil)
    page.recordChangedBlock = { journal.note($0.recordID.recordName) }
    page.fetchRecordChangesCompletionBlock = { token, _, error in
      journal.note("\(token == nil) \(code(error).map { "\($0)" } ?? "done")")
    }
    await host.database.run(page)
    #expect(journal.all.dropFirst(2) == ["true assetNotAvailable"])
  }

  @Test func `a fetch of changes returns a record without the files that the server has lost`()
    async throws
  {
    try host.put("a", "photo", [bytes(100)])
    answerChanges(["a"])
    host.forgetFiles()
    let journal = Journal()
    let whole = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneZ])
    whole.recordChangedBlock = { record in
      let photo = record["photo"] as? CKAsset
      journal.note("\(record.recordID.recordName) \(photo != nil) \(photo?.fileURL == nil)")
    }
    await host.database.run(whole)
    let page = CKFetchRecordChangesOperation(recordZoneID: zoneZ, previousServerChangeToken: nil)
    page.recordChangedBlock = { record in
      journal.note("\(record.recordID.recordName) \((record["photo"] as? CKAsset) != nil)")
    }
    await host.database.run(page)
    #expect(journal.all == ["a true true", "a true"])
  }

  @Test func `a network error in a download ends a fetch of changes before any record is returned`()
    async throws
  {
    try host.put("a", "photo", [bytes(100)])
    try host.put("b", "photo", [bytes(100, from: 2)])
    answerChanges(["a", "b"])
    let journal = Journal()
    func follow() async {
      let operation = CKFetchRecordZoneChangesOperation(recordZoneIDs: [zoneZ])
      operation.recordWasChangedBlock = { recordID, result in
        let photo = (try? result.get())?["photo"] as? CKAsset
        journal.note("\(recordID.recordName) \(contents(photo)?.count ?? -1)")
      }
      operation.recordZoneFetchResultBlock = { _, result in
        journal.note("zone \(code(result).map { "\($0)" } ?? "done")")
      }
      operation.fetchRecordZoneChangesResultBlock = { result in
        journal.note("end \(code(result).map { "\($0)" } ?? "done")")
      }
      await host.database.run(operation)
    }
    host.expect([.fails(.notConnected), .fails(.notConnected)])
    await follow()
    #expect(journal.all == ["end networkUnavailable"])
    host.expect([])
    await follow()
    #expect(journal.all.dropFirst() == ["a 100", "b 100", "zone done", "end done"])
    host.forgetFiles()
    try FileManager.default.removeItem(at: host.server.cacheFolder)
    await follow()
    #expect(journal.all.suffix(4) == ["a -1", "b -1", "zone done", "end done"])
  }
}
