import CloudKit
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// Checks of backups, and hard links of unchanged files between backups.
@Suite(.enabled(if: TestEngine.hasFiles, "it reads the files of SQLite")) struct `Verified backups`
{
  private let folder: TestFolder
  private var data: URL { folder.url.appendingPathComponent("data") }
  private var first: URL { folder.url.appendingPathComponent("first") }
  private var second: URL { folder.url.appendingPathComponent("second") }

  init() throws { folder = try TestFolder() }

  private func store(in backup: URL) -> URL {
    backup.appendingPathComponent("\(Cloud.containerID)/development.sqlite")
  }

  /// The only asset file of a folder.
  private func asset(in backup: URL) throws -> URL {
    let files = backup.appendingPathComponent("\(Cloud.containerID)/development.assets/files")
    let paths = FileManager.default.subpaths(atPath: files.path) ?? []
    return files.appendingPathComponent(try #require(paths.first { $0.utf8.count > 12 }))
  }

  private func number(of file: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    return try #require((attributes[.systemFileNumber] as? NSNumber)?.intValue)
  }

  /// Starts a server, writes a note and a picture, and stops the server.
  private func fill() async throws {
    let server = try await TestServer(folder: data)
    let database = try await Cloud(server: server).zone()
    try await database.saveNotes(["a"])
    let picture = CKRecord(recordType: "Picture", recordID: id("picture"))
    picture["file"] = CKAsset(fileURL: try folder.file("source", Array(repeating: 7, count: 5_000)))
    try await database.save(picture)
    await server.stop()
  }

  @Test func `the check of a backup finds every changed and missing file`() async throws {
    try await fill()
    _ = try Backup.make(of: data, at: first)
    let good = try Backup.verify(first)
    #expect((good.storesCount, good.filesCount) == (1, 1))
    #expect(good.problems.isEmpty && good.missingFiles.isEmpty)
    let files = [
      try asset(in: first), store(in: first), first.appendingPathComponent("server.sqlite"),
    ]
    for file in files {
      let bytes = try Data(contentsOf: file)
      var changed = bytes
      changed[changed.count / 2] ^= 1
      try changed.write(to: file)
      #expect(try Backup.verify(first).problems.count == 1, "\(file.lastPathComponent) changed")
      try FileManager.default.removeItem(at: file)
      #expect(try Backup.verify(first).problems.count == 1, "\(file.lastPathComponent) missing")
      try bytes.write(to: file)
      #expect(try Backup.verify(first) == good)
    }
  }

  @Test func `the doctor expects no asset files in a folder whose assets are in S3`()
    async throws
  {
    try await fill()
    try FileManager.default.removeItem(at: try asset(in: data))
    #expect(Doctor(data: data).findings().contains { $0.name == "assets-damaged" })
    try Data("s3://bucket\n".utf8).write(to: data.appendingPathComponent("assets-place"))
    #expect(!Doctor(data: data).findings().contains { $0.name == "assets-damaged" })
  }

  /// SQLite itself does not notice a changed value.
  @Test func `a restore refuses a store whose bytes have changed since the backup`() async throws {
    try await fill()
    _ = try Backup.make(of: data, at: first)
    let file = store(in: first)
    var bytes = try Data(contentsOf: file)
    let title = try #require(bytes.range(of: Data("Picture".utf8)))
    bytes[title.lowerBound] = UInt8(ascii: "Q")
    try bytes.write(to: file)
    let failure = #expect(throws: BackupFailure.self) { try Backup.restore(first, to: second) }
    #expect(failure?.description.contains("differs from what the backup wrote") == true)
    #expect(!FileManager.default.fileExists(atPath: second.path))
  }

  @Test func `a folder without a list of files is not a complete backup`() async throws {
    try await fill()
    _ = try Backup.make(of: data, at: first)
    try FileManager.default.removeItem(at: first.appendingPathComponent(".backup.json"))
    for body in [
      { _ = try Backup.verify(first) }, { _ = try Backup.make(of: data, at: second, since: first) },
    ] {
      let failure = #expect(throws: BackupFailure.self) { try body() }
      #expect(failure?.description.contains("is not a complete backup") == true)
    }
  }

  @Test func `a later backup links unchanged files of the earlier one, and is complete without it`()
    async throws
  {
    try await fill()
    #expect(try Backup.make(of: data, at: first).sharedFilesCount == 0)
    let server = try await TestServer(folder: data)
    let database = try await Cloud(server: server).device().privateCloudDatabase
    try await database.saveNotes(["b"])
    let made = try Backup.make(of: data, at: second, since: first)
    await server.stop()
    #expect((made.filesCount, made.sharedFilesCount) == (1, 1))
    #expect((made.storesCount, made.sharedStoresCount) == (1, 0))
    #expect(try number(of: asset(in: first)) == number(of: asset(in: second)))
    try FileManager.default.removeItem(at: first)
    #expect(try Backup.verify(second).problems.isEmpty)
    let restored = folder.url.appendingPathComponent("restored")
    _ = try Backup.restore(second, to: restored)
    let later = try await TestServer(folder: restored)
    let all = try await Cloud(server: later).device().privateCloudDatabase.recordZoneChanges(
      inZoneWith: zoneZ, since: nil)
    #expect(Set(all.modificationResultsByID.keys) == [id("a"), id("b"), id("picture")])
    await later.stop()
  }

  @Test
  func `a backup links a store of the earlier one only if the store has not changed`()
    async throws
  {
    try await fill()
    let old = Date(timeIntervalSince1970: 1_700_000_000)
    try FileManager.default.setAttributes(
      [.modificationDate: old], ofItemAtPath: store(in: data).path)
    _ = try Backup.make(of: data, at: first)
    let made = try Backup.make(of: data, at: second, since: first)
    #expect((made.storesCount, made.sharedStoresCount) == (1, 1))
    #expect(try number(of: store(in: first)) == number(of: store(in: second)))
    #expect(try Backup.verify(second).problems.isEmpty)
    let server = try await TestServer(folder: data)
    try await Cloud(server: server).device().privateCloudDatabase.saveNotes(["b"])
    let third = folder.url.appendingPathComponent("third")
    #expect(try Backup.make(of: data, at: third, since: second).sharedStoresCount == 0)
    await server.stop()
  }

  @Test func `a later backup copies a file again if it is damaged in the earlier backup`()
    async throws
  {
    try await fill()
    _ = try Backup.make(of: data, at: first)
    let file = try asset(in: first)
    try Data(repeating: 8, count: 5_000).write(to: file)
    let made = try Backup.make(of: data, at: second, since: first)
    #expect((made.filesCount, made.sharedFilesCount) == (1, 0))
    #expect(try Backup.verify(second).problems.isEmpty)
  }

  @Test func `only the owner can reach the files of a backup`() async throws {
    try await fill()
    _ = try Backup.make(of: data, at: first)
    let paths = try #require(FileManager.default.subpaths(atPath: first.path))
    #expect(paths.contains(".backup.json") && paths.contains("server.sqlite"))
    for path in [first.path] + paths.map({ first.appendingPathComponent($0).path }) {
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      let permissions = try #require((mode as? NSNumber)?.intValue)
      #expect(permissions & 0o077 == 0, "\(path)")
    }
  }
}
