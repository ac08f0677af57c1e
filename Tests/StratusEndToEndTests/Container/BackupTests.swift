import CloudKit
import StratusServer
import StratusTesting
import Testing

/// A server whose data was restored from a backup.
@Suite(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite")) struct `Restored backups`
{
  @Test func `a restored server has the data of the backup, and earlier change tokens are expired`()
    async throws
  {
    try await withFolders { folders in
      let first = try await TestServer(folder: folders.data)
      let before = try await Cloud(server: first).zone()
      try await before.saveNotes(["a", "b"])
      try await savePicture(of: 100_000, from: folders, to: before)
      let known = try await before.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      // The backup is created while the server runs.
      let made = try Backup.make(of: folders.data, at: folders.backup)
      #expect((made.storesCount, made.filesCount) == (1, 1))
      #expect(made.missingFiles.isEmpty)
      try await before.saveNotes(["c"])
      let lost = try await before.recordZoneChanges(
        inZoneWith: zoneZ, since: known.changeToken)
      #expect(Set(lost.modificationResultsByID.keys) == [id("c")])
      await first.stop()

      #expect(try Backup.restore(folders.backup, to: folders.restored) == made)
      let second = try await TestServer(folder: folders.restored)
      let after = try await Cloud(server: second).device().privateCloudDatabase
      // The last change is not in the backup. The restored server gives the number of that change
      // to another change. The change numbers alone cannot distinguish the two histories.
      try await after.saveNotes(["d"])
      for token in [known.changeToken, lost.changeToken] {
        await #expect(throws: CKError.self) {
          do { _ = try await after.recordZoneChanges(inZoneWith: zoneZ, since: token) } catch {
            #expect((error as? CKError)?.code == .changeTokenExpired)
            throw error
          }
        }
      }
      let all = try await after.recordZoneChanges(inZoneWith: zoneZ, since: nil)
      #expect(
        Set(all.modificationResultsByID.keys) == [id("a"), id("b"), id("d"), id("picture")])
      let restored = try await after.record(for: id("picture"))
      let url = try #require((restored["file"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: url).count == 100_000)
      await second.stop()
    }
  }

  @Test func `a backup reports its progress`() async throws {
    try await withFolders { folders in
      let first = try await TestServer(folder: folders.data)
      let database = try await Cloud(server: first).zone()
      try await savePicture(of: 3_000_000, from: folders, to: database)
      await first.stop()
      var reports: [Backup.Progress] = []
      _ = try Backup.make(of: folders.data, at: folders.backup) { reports.append($0) }
      #expect(Set(reports.map(\.title)) == ["\(Cloud.containerID) (development)"])
      let done = reports.map(\.doneBytes)
      #expect(done == done.sorted())
      let last = try #require(reports.last)
      #expect(last.doneBytes == last.totalBytes)
      #expect(last.totalBytes > 3_000_000)
    }
  }

  /// A copy of a crashed server's folder contains all acknowledged writes.
  @Test func `a restored copy of a server's folder has the writes of its write-ahead log`()
    async throws
  {
    try await withFolders { folders in
      let first = try await TestServer(folder: folders.data)
      try await Cloud(server: first).zone().saveNotes(["a"])
      // Copies the files while the server has them open.
      try FileManager.default.copyItem(at: folders.data, to: folders.backup)
      await first.stop()
      _ = try Backup.restore(folders.backup, to: folders.restored)
      let second = try await TestServer(folder: folders.restored)
      let after = try await Cloud(server: second).device().privateCloudDatabase
      #expect(try await after.record(for: id("a")).recordID == id("a"))
      await second.stop()
    }
  }

  @Test
  func `a backup or a restore is refused if the target exists or the data is invalid`()
    async throws
  {
    try await withFolders { folders in
      try await storeNote(in: folders.data)
      _ = try Backup.make(of: folders.data, at: folders.backup)
      refused("move it away") { () throws(BackupFailure) in
        try Backup.make(of: folders.data, at: folders.backup)
      }
      refused("move it away") { () throws(BackupFailure) in
        try Backup.restore(folders.backup, to: folders.data)
      }
      refused("does not hold the data") { () throws(BackupFailure) in
        try Backup.make(of: folders.restored, at: folders.restored)
      }
      // The restore detects a damaged store and leaves no folder behind.
      let store = folders.backup.appendingPathComponent("\(Cloud.containerID)/development.sqlite")
      var bytes = try Data(contentsOf: store)
      for place in 8_192..<16_384 { bytes[place] = 0xAA }
      try bytes.write(to: store)
      refused("damaged") { () throws(BackupFailure) in
        try Backup.restore(folders.backup, to: folders.restored)
      }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: folders.root.path).sorted()
          == ["backup", "data"])
      refused("lies in") { () throws(BackupFailure) in
        try Backup.make(
          of: folders.data, at: folders.data.appendingPathComponent("backups/today"))
      }
      // An existing link counts as existing data, even if its target does not exist.
      try FileManager.default.createSymbolicLink(
        at: folders.restored, withDestinationURL: folders.root.appendingPathComponent("none"))
      refused("move it away") { () throws(BackupFailure) in
        try Backup.restore(folders.data, to: folders.restored)
      }
    }
  }

  @Test func `a backup lists the missing and damaged asset files`() async throws {
    try await withFolders { folders in
      let first = try await TestServer(folder: folders.data)
      let database = try await Cloud(server: first).zone()
      try await savePicture(of: 1_000, from: folders, to: database)
      await first.stop()
      let assets = folders.data.appendingPathComponent(
        "\(Cloud.containerID)/development.assets/files")
      let file = try #require(
        FileManager.default.subpaths(atPath: assets.path)?.first { $0.utf8.count > 12 })
      // First the file has one byte too few, then it does not exist.
      let url = assets.appendingPathComponent(file)
      try Data(repeating: 7, count: 999).write(to: url)
      for name in ["cut", "gone"] {
        let made = try Backup.make(
          of: folders.data, at: folders.root.appendingPathComponent(name))
        #expect(made.storesCount == 1)
        #expect(made.filesCount == 0)
        #expect(
          made.missingFiles == ["\(Cloud.containerID) (development): \(url.lastPathComponent)"])
        try? FileManager.default.removeItem(at: url)
      }
    }
  }

  /// A server may stop before it has created the tables of a container.
  @Test func `a backup and a restore keep a store whose file is empty`() async throws {
    try await withFolders { folders in
      try await storeNote(in: folders.data)
      try Data().write(
        to: folders.data.appendingPathComponent("\(Cloud.containerID)/production.sqlite"))
      #expect(try Backup.make(of: folders.data, at: folders.backup).storesCount == 2)
      #expect(try Backup.restore(folders.backup, to: folders.restored).storesCount == 2)
      let second = try await TestServer(folder: folders.restored)
      let production = try await Cloud(server: second).device(in: .production)
      #expect(try await production.privateCloudDatabase.allRecordZones().count == 1)
      await second.stop()
    }
  }

  /// Saves a record whose asset has a number of bytes.
  private func savePicture(
    of count: Int, from folders: Folders, to database: CKDatabase
  ) async throws {
    let picture = CKRecord(recordType: "Picture", recordID: id("picture"))
    picture["file"] = CKAsset(fileURL: try folders.file(of: count))
    try await database.save(picture)
  }

  /// Runs a server until it has stored a note.
  private func storeNote(in data: URL) async throws {
    let server = try await TestServer(folder: data)
    try await Cloud(server: server).zone().saveNotes(["a"])
    await server.stop()
  }

  private func refused(
    _ sentence: String, _ body: () throws(BackupFailure) -> Backup.Summary
  ) {
    let failure = #expect(throws: BackupFailure.self) { try body() }
    #expect(failure?.description.contains(sentence) == true, "\(failure?.description ?? "")")
  }
}

/// The paths of a server's data, of its backup and of the restored data. None exists at first.
private struct Folders {
  let root: URL
  var data: URL { root.appendingPathComponent("data") }
  var backup: URL { root.appendingPathComponent("backup") }
  var restored: URL { root.appendingPathComponent("restored") }

  func file(of count: Int) throws -> URL {
    let url = root.appendingPathComponent("file")
    try Data(repeating: 7, count: count).write(to: url)
    return url
  }
}

private func withFolders(_ body: (Folders) async throws -> Void) async throws {
  let root = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-backup-" + CKRecord.ID().recordName)
  defer { try? FileManager.default.removeItem(at: root) }
  try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
  try await body(Folders(root: root))
}
