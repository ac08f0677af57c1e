import CloudKit
import Testing

@Suite struct `Devices that write at the same time` {
  @Test func `devices that merge into the server's record lose no update`() async throws {
    try await withCloud { cloud in
      let counter = note("counter")
      counter["count"] = 0
      try await cloud.zone().save(counter)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let database = try await cloud.zone()
            for _ in 0..<10 { try await increment(database) }
          }
        }
        try await group.waitForAll()
      }
      let found = try await cloud.zone().record(for: id("counter"))
      #expect(found["count"] as? Int == 40)
    }
  }

  /// Adds one to the count of the record. After a conflict, adds one to the server's record.
  private func increment(_ database: CKDatabase) async throws {
    var record = try await database.record(for: id("counter"))
    while true {
      record["count"] = (record["count"] as? Int ?? 0) + 1
      do {
        try await database.save(record)
        return
      } catch let error as CKError where error.code == .serverRecordChanged {
        record = try #require(error.serverRecord)
      }
    }
  }

  @Test func `a device that fetches while other devices write gets exactly the server's records`()
    async throws
  {
    try await withCloud { cloud in
      let writers = (0..<3).map { writer in
        Task {
          let database = try await cloud.zone()
          for round in 0..<12 {
            let names = (0..<5).map { "w\(writer)-\(round)-\($0)" }
            try await database.saveNotes(names)
            if round % 2 == 1 {
              let gone = (0..<5).map { id("w\(writer)-\(round - 1)-\($0)") }
              _ = try await database.modifyRecords(saving: [], deleting: gone)
            }
          }
        }
      }
      let follower = Follower(database: try await cloud.zone(), pageSize: 7)
      async let end: Void = {
        for writer in writers { try await writer.value }
      }()
      for _ in 0..<20 { try await follower.catchUp() }
      try await end
      try await follower.catchUp()
      let expected = (0..<3).flatMap { writer in
        stride(from: 1, to: 12, by: 2).flatMap { round in
          (0..<5).map { "w\(writer)-\(round)-\($0)" }
        }
      }
      #expect(follower.names == Set(expected))
    }
  }
}

/// A device that copies a zone by repeated fetches of its changes.
private final class Follower {
  private(set) var names: Set<String> = []
  private var token: CKServerChangeToken?
  private let database: CKDatabase
  private let pageSize: Int

  init(database: CKDatabase, pageSize: Int) {
    self.database = database
    self.pageSize = pageSize
  }

  func catchUp() async throws {
    var moreComing = true
    while moreComing {
      let page = try await database.recordZoneChanges(
        inZoneWith: zoneZ, since: token, resultsLimit: pageSize)
      names.formUnion(page.modificationResultsByID.keys.map(\.recordName))
      names.subtract(page.deletions.map(\.recordID.recordName))
      (token, moreComing) = (page.changeToken, page.moreComing)
    }
  }
}
