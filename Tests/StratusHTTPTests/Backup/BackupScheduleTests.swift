import Foundation
import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusServer

/// The backups that a server makes by itself.
@Suite(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite")) struct `Scheduled backups`
{
  /// A clock that a test moves.
  private final class Hours: Sendable {
    private let now = Mutex<Int64>(1_800_000_000_000)
    func move(_ hours: Int64) { now.withLock { $0 += hours * 3_600_000 } }
    var live: Live {
      Live(ambient: Ambient(now: { self.now.withLock { $0 } }, makeUUID: Ambient.live.makeUUID))
    }
  }

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `a server makes a backup a day and keeps the newest ones`() async throws {
    try await KeyFolder.with { url in
      let (data, folder) = (
        url.appendingPathComponent("data"), url.appendingPathComponent("backups")
      )
      let server = try await TestServer(onDiskIn: data)
      let clock = Hours()
      let schedule = BackupSchedule(
        of: data, BackupSettings(folder: folder, everyHours: 24, keptCount: 2), live: clock.live)
      #expect(schedule.isDue)
      _ = try schedule.run()
      #expect(try names(in: folder) == ["2027-01-15T080000Z"])
      #expect(!schedule.isDue)
      clock.move(23)
      #expect(!schedule.isDue)
      clock.move(1)
      #expect(schedule.isDue)
      // The schedule must touch neither folders with other names nor backups that it did not make.
      // It removes the incomplete backup.
      let others = ["mine", "2020-01-01T000000Z", "2027-01-15T080000Z.partial-Ab12Cd"]
      for name in others {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
      }
      for _ in 0..<2 {
        _ = try schedule.run()
        clock.move(24)
      }
      #expect(
        try names(in: folder) == [
          "2020-01-01T000000Z", "2027-01-16T080000Z", "2027-01-17T080000Z", "mine",
        ])
      #expect(schedule.backups().count == 2)
      await server.stop()
    }
  }

  @Test func `a new backup stays even if a wrong clock makes it the oldest one`() async throws {
    try await KeyFolder.with { url in
      let (data, folder) = (
        url.appendingPathComponent("data"), url.appendingPathComponent("backups")
      )
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let clock = Hours()
      let schedule = BackupSchedule(
        of: data, BackupSettings(folder: folder, keptCount: 1), live: clock.live)
      _ = try schedule.run()
      clock.move(-48)
      _ = try schedule.run()
      #expect(try names(in: folder) == ["2027-01-13T080000Z", "2027-01-15T080000Z"])
      clock.move(72)
      _ = try schedule.run()
      #expect(try names(in: folder) == ["2027-01-16T080000Z"])
    }
  }

  @Test func `an incomplete backup is removed only if no server is writing it`() async throws {
    try await KeyFolder.with { url in
      let (data, folder) = (
        url.appendingPathComponent("data"), url.appendingPathComponent("backups")
      )
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let clock = Hours()
      let schedule = BackupSchedule(of: data, BackupSettings(folder: folder), live: clock.live)
      let name = "2027-01-15T070000Z.partial-Ab12Cd"
      let partial = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
      let lock = try #require(FolderLock(partial, waits: false))
      _ = try schedule.run()
      #expect(try names(in: folder).contains(name))
      lock.release()
      clock.move(24)
      _ = try schedule.run()
      #expect(try names(in: folder) == ["2027-01-15T080000Z", "2027-01-16T080000Z"])
    }
  }

  @Test func `the folder of a backup has a lock until the backup is complete`() async throws {
    try await KeyFolder.with { url in
      let (data, folder) = (
        url.appendingPathComponent("data"), url.appendingPathComponent("backups")
      )
      let server = try await TestServer(onDiskIn: data)
      try await server.client("anna@example.org").save("n-1")
      await server.stop()
      var isLocked: [Bool] = []
      let target = folder.appendingPathComponent("one")
      _ = try Backup.make(of: data, at: target) { _ in
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names where name.hasPrefix("one.partial-") {
          let lock = FolderLock(folder.appendingPathComponent(name), waits: false)
          isLocked.append(lock == nil)
          lock?.release()
        }
      }
      #expect(!isLocked.isEmpty)
      #expect(isLocked.allSatisfy { $0 })
      let lock = try #require(FolderLock(target, waits: false))
      lock.release()
    }
  }

  @Test func `after a failure, the server waits for an hour, and the doctor reports the failure`()
    async throws
  {
    try await KeyFolder.with { url in
      let data = url.appendingPathComponent("data")
      let server = try await TestServer(onDiskIn: data)
      await server.stop()
      let clock = Hours()
      // A file is in the place of the folder, so no backup can be made.
      let folder = url.appendingPathComponent("backups")
      try Data().write(to: folder)
      let schedule = BackupSchedule(of: data, BackupSettings(folder: folder), live: clock.live)
      #expect(throws: BackupFailure.self) { try schedule.run() }
      #expect(!schedule.isDue)
      #expect(findings(data, clock).contains("problem backup-failed"))
      clock.move(1)
      #expect(schedule.isDue)
      try FileManager.default.removeItem(at: folder)
      _ = try schedule.run()
      #expect(findings(data, clock).contains("note backup-latest"))
      clock.move(49)
      #expect(findings(data, clock).contains("problem backup-old"))
    }
  }

  private func findings(_ data: URL, _ clock: Hours) -> [String] {
    Doctor(data: data, now: clock.live.ambient.now()).findings().map {
      "\($0.severity.rawValue) \($0.name)"
    }
  }

  @Test func `the log of a backup contains no contents of records`() async throws {
    try await KeyFolder.with { url in
      let data = url.appendingPathComponent("data")
      let server = try await TestServer(onDiskIn: data)
      let anna = try await server.client("canary-mail@example.org")
      // Ten thousand values: the names and the titles of 5,000 records.
      for batch in 0..<25 {
        let operations = (0..<200).map { index -> JSON in
          [
            "operationType": "forceUpdate",
            "record": [
              "recordName": "canary-name-\(batch)-\(index)", "recordType": "Note",
              "fields": ["title": ["value": "canary-value-\(batch)-\(index)"]],
            ],
          ]
        }
        _ = try await anna.modify(.array(operations))
      }
      await server.stop()
      let (log, clock) = (CapturedLog(), Hours())
      let folder = url.appendingPathComponent("backups")
      let service = BackupService(
        schedule: BackupSchedule(of: data, BackupSettings(folder: folder), live: clock.live),
        logger: log.logger)
      service.make()
      clock.move(24)
      // The second backup fails on a damaged store.
      let store = data.appendingPathComponent("iCloud.org.example.Notes/development.sqlite")
      var bytes = try Data(contentsOf: store)
      for place in 8_192..<16_384 { bytes[place] = 0xAA }
      try bytes.write(to: store)
      service.make()
      #expect(log.text.contains("is complete") && log.text.contains("no backup was made"))
      #expect(!log.text.contains("canary"))
      let folders = try names(in: folder)
      let list = folder.appendingPathComponent("\(folders[0])/.backup.json")
      let record = data.appendingPathComponent(".last-backup.json")
      for file in [list, record] {
        #expect(!String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("canary"))
      }
    }
  }
}
