import CloudKit
import Foundation
import StratusTransport
import Synchronization
import Testing

@Suite struct `Files of records` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func bytes(_ count: Int, from seed: Int = 1) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 * 31 + seed) ^ ($0 >> 8)) }
  }

  private func asset(_ bytes: [UInt8], _ name: String = "original") throws -> CKAsset {
    CKAsset(fileURL: try folder.file(name, bytes))
  }

  private func contents(_ value: (any CKRecordValueProtocol)?) -> [UInt8]? {
    (value as? CKAsset)?.fileURL.flatMap { try? Data(contentsOf: $0) }.map(Array.init)
  }

  @Test(arguments: [0, 1, 999, 1_000, 1_001, 12_345])
  func `a record's file is fetched unchanged`(size: Int) async throws {
    try await withCloud { cloud in
      _ = try await cloud.zone()
      let record = note("a")
      record["photo"] = try asset(bytes(size))
      let here = try await cloud.device(assets: folder.assets("here")).privateCloudDatabase
      _ = try await here.save(record)
      let there = try await cloud.device(assets: folder.assets("there")).privateCloudDatabase
      let fetched = try await there.record(for: record.recordID)
      #expect(contents(fetched["photo"]) == bytes(size))
      #expect(fetched.changedKeys().isEmpty)
      #expect(try Data(contentsOf: folder.url.appendingPathComponent("original")).count == size)
    }
  }

  @Test func `files can be elements of a list and keep their order`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      let record = note("a")
      record["photos"] = [
        try asset([1], "1"), try asset([2, 2], "2"), try asset([1], "3"),
      ]
      _ = try await database.save(record)
      let fetched = try await database.record(for: record.recordID)
      let photos = try #require(fetched["photos"] as? [CKAsset])
      #expect(photos.map { contents($0) } == [[1], [2, 2], [1]])
      fetched["photos"] = [photos[1], try asset([4], "4")]
      _ = try await database.save(fetched)
      let again = try await database.record(for: record.recordID)
      #expect((again["photos"] as? [CKAsset])?.map { contents($0) } == [[2, 2], [4]])
    }
  }

  @Test func `a record in the public database can have a file`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device(assets: folder.assets("here")).publicCloudDatabase
      let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
      record["photo"] = try asset(bytes(2_500))
      _ = try await database.save(record)
      let other = try await cloud.device(of: "bob@example.org", assets: folder.assets("there"))
      let fetched = try await other.publicCloudDatabase.record(for: record.recordID)
      #expect(contents(fetched["photo"]) == bytes(2_500))
    }
  }

  @Test
  func `files are fetched with changes, unless the desired keys leave them out`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      for name in ["a", "b", "c"] {
        let record = note(name, title: name)
        record["photo"] = try asset(bytes(1_500, from: name == "b" ? 2 : 1), name)
        _ = try await database.save(record)
      }
      let network = cloud.network()
      let there = try await cloud.device(by: network, assets: folder.assets("there"))
      let (changes, _, _, _) = try await there.privateCloudDatabase.recordZoneChanges(
        inZoneWith: zoneZ, since: nil)
      for (recordID, result) in changes {
        let photo = try result.get().record["photo"]
        #expect(contents(photo) == bytes(1_500, from: recordID.recordName == "b" ? 2 : 1))
      }
      #expect(changes.count == 3)
      #expect(network.assetRequests.count == 4)
      let title = try await there.privateCloudDatabase.records(
        for: [id("a")], desiredKeys: ["title"])
      #expect(try title[id("a")]?.get().allKeys() == ["title"])
      #expect(network.assetRequests.count == 4)
    }
  }

  @Test func `files are fetched with query results`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      let record = note("a", title: "found")
      record["photo"] = try asset(bytes(2_500))
      _ = try await database.save(record)
      let (matches, _) = try await database.records(
        matching: CKQuery(
          recordType: "Note", predicate: NSPredicate(format: "title == %@", "found")),
        inZoneWith: zoneZ)
      #expect(contents(try matches.first?.1.get()["photo"]) == bytes(2_500))
      #expect(matches.count == 1)
    }
  }

  @Test
  func `files of a conflict's server record are not downloaded, and a merge can keep them`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      let record = note("a", title: "old")
      record["photo"] = try asset([1, 2, 3])
      record["photos"] = [try asset([1], "1"), try asset([2], "2")]
      _ = try await database.save(record)
      let stale = try await database.record(for: record.recordID)
      record["title"] = "new"
      _ = try await database.save(record)
      stale["title"] = "mine"
      let error = await expect(.serverRecordChanged) { try await database.save(stale) }
      let server = try #require(error?.serverRecord)
      #expect((server["photo"] as? CKAsset) != nil)
      #expect((server["photo"] as? CKAsset)?.fileURL == nil)
      server["title"] = "mine"
      server["photo"] = server["photo"] as? CKAsset
      server["photos"] = server["photos"] as? [CKAsset]
      _ = try await database.save(server)
      let fetched = try await database.record(for: record.recordID)
      #expect(fetched["title"] as? String == "mine")
      #expect(contents(fetched["photo"]) == [1, 2, 3])
      #expect((fetched["photos"] as? [CKAsset])?.map { contents($0) } == [[1], [2]])
    }
  }

  @Test
  func `a fetched or saved file can be added to another record without an upload`() async throws {
    try await withCloud { cloud in
      let network = cloud.network()
      let database = try await cloud.zone(by: network, assets: folder.assets("here"))
      let record = note("a")
      record["photo"] = try asset(bytes(5_000))
      _ = try await database.save(record)
      let sent = network.assetRequests.count
      let copy = note("b")
      copy["photo"] = record["photo"] as? CKAsset
      _ = try await database.save(copy)
      _ = try await database.modifyRecords(
        saving: [record], deleting: [], savePolicy: .allKeys)
      #expect(network.assetRequests.count == sent)
      #expect(contents(try await database.record(for: id("b"))["photo"]) == bytes(5_000))
      #expect(contents(try await database.record(for: id("a"))["photo"]) == bytes(5_000))
    }
  }

  @Test func `a record's file can be replaced and removed`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      let record = note("a", title: "x")
      record["photo"] = try asset([1])
      _ = try await database.save(record)
      record["photo"] = try asset([2, 2], "other")
      _ = try await database.save(record)
      #expect(contents(try await database.record(for: id("a"))["photo"]) == [2, 2])
      record["photo"] = nil
      _ = try await database.save(record)
      #expect(try await database.record(for: id("a")).allKeys() == ["title"])
    }
  }

  @Test
  func `if the file of a record is missing on the device, the save of its atomic batch fails`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone(assets: folder.assets("here"))
      let lost = note("lost")
      lost["photo"] = CKAsset(fileURL: folder.url.appendingPathComponent("nowhere"))
      let (results, _) = try await database.modifyRecords(
        saving: [note("a"), lost], deleting: [])
      #expect(code(results[id("lost")]) == .assetFileNotFound)
      #expect(code(results[id("a")]) == .batchRequestFailed)
      await expect(.unknownItem) { try await database.record(for: id("a")) }
      let (others, _) = try await database.modifyRecords(
        saving: [note("a"), lost], deleting: [], atomically: false)
      #expect(code(others[id("lost")]) == .assetFileNotFound)
      #expect(try others[id("a")]?.get().recordChangeTag != nil)
    }
  }

  @Test
  func `the save of a record with a file fails with zoneNotFound if its zone is missing`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.device(assets: folder.assets("here")).privateCloudDatabase
      let record = note("a", in: zoneY)
      record["photo"] = try asset([1])
      await expect(.zoneNotFound) { try await database.save(record) }
    }
  }
}

extension Network {
  /// The requests to file URLs.
  fileprivate var assetRequests: [HTTPRequest] { all.filter { $0.url.path.hasPrefix("/assets/") } }
}
