import Foundation
import StratusConformance
import StratusDomain
import StratusWire
import Synchronization
import Testing

@testable import StratusAssets

/// An asset store in memory. The conformance suite of all asset stores tests it.
@Suite struct MemoryAssets {
  @Test(arguments: AssetStoreConformance.checks)
  func `an asset store in memory passes the conformance suite`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await check.run { MemoryAssetStore(now: { AssetStoreConformance.now }) }
  }
}

/// Tests of the asset store in a folder: the conformance suite of all asset stores, and the tests
/// below.
@Suite struct FolderAssets {
  private static let address = StoreAddress(
    container: "iCloud.org.example", environment: .development)

  /// Linux refuses each write to `/dev/full`, as a full disk does.
  @Test func `a write to a full disk can be repeated later`() throws {
    let file = try #require(try DiskFile("/dev/full", O_WRONLY))
    let error = #expect(throws: ServerError.self) { try file.write([1, 2, 3], at: 0) }
    #expect(error?.code == .tryAgainLater && error?.retryAfterSeconds == 30)
  }

  #if os(Linux)
    /// The checksum of an upload needs processor time that other callers' requests need more.
    @Test func `portions of uploads are written by threads of low priority`() async throws {
      let disk = Disk(root: FileManager.default.temporaryDirectory.path)
      let niceness = try await disk.runQuietly { () throws(ServerError) -> Int32 in
        getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
      }
      #expect(niceness >= 10)
    }
  #endif

  private func withFolder(_ body: (URL, FolderAssetStore) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-assets-" + Self.name())
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder, Self.store(folder))
  }

  private static func store(_ folder: URL) -> FolderAssetStore {
    FolderAssetStore(data: folder, now: { AssetStoreConformance.now })
  }

  private static func name() -> String {
    "\(ProcessInfo.processInfo.processIdentifier)-\(counter.withLock { $0 += 1; return $0 })"
  }

  private static let counter = Mutex(0)

  @Test(arguments: AssetStoreConformance.checks)
  func `an asset store in a folder passes the conformance suite`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await withFolder { _, store in try await check.run { store } }
  }

  @Test(arguments: AssetStoreConformance.ownerChecks)
  func `a shared folder belongs to one installation`(
    _ check: AssetStoreConformance.Check
  ) async throws {
    try await withFolder { folder, _ in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try await check.run {
        FolderAssetStore(data: folder, hasOwner: true, now: { AssetStoreConformance.now })
      }
      // No temporary file is left, and only the owner can read the mark.
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["assets-owner"])
      let file = FolderAssetStore.ownerFile(in: folder).path
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test func `nodes of one installation can claim a shared folder at the same time`() async throws {
    try await withFolder { folder, _ in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let store = FolderAssetStore(data: folder, hasOwner: true, now: { AssetStoreConformance.now })
      let mark = try #require(store.ownerMark)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<32 { group.addTask { try await mark.write("one", replaces: false) } }
        try await group.waitForAll()
      }
      try await AssetOwner(mark, installationID: "one").require()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names == ["assets-owner"])
    }
  }

  @Test func `a data folder with a registry has no mark of an owner`() async throws {
    try await withFolder { _, store in #expect(store.ownerMark == nil) }
  }

  @Test func `stored files and unfinished uploads remain after a restart`() async throws {
    try await withFolder { folder, store in
      let done = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      try await done.append(Array("abc".utf8))
      _ = try await done.finish(as: "00000001")
      let broken = try await store.open(upload: "upload-2", at: Self.address, fromNothing: true)
      try await broken.append(Array("ab".utf8))
      // The test does not close the store, because a killed process closes nothing.
      let next = Self.store(folder)
      let file = try #require(try await next.open(file: "00000001", at: Self.address))
      #expect(try await file.read(at: 0, count: 3) == Array("abc".utf8))
      let again = try await next.open(upload: "upload-2", at: Self.address, fromNothing: false)
      #expect(again.received == 2)
      try await again.append(Array("c".utf8))
      let whole = try await again.finish(as: "00000002")
      #expect(whole.checksum == AssetStoreConformance.checksumOfABC)
      #expect(broken.received == 2)
    }
  }

  @Test
  func `asset files are in the environment's folder, and only the owner can read them`()
    async throws
  {
    try await withFolder { folder, store in
      let upload = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      _ = try await upload.finish(as: "ABCD0001")
      let path =
        folder.path + "/iCloud.org.example/development.assets/files/AB/CD/ABCD0001"
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
      #expect((mode as? NSNumber)?.intValue == 0o600)
    }
  }

  @Test(arguments: ["../../etc", "a/b", "", ".", "short", "name.note", "ünïcode-name"])
  func `an asset's file name that leads outside of its folder is refused`(name: String) async throws
  {
    try await withFolder { folder, store in
      await #expect(throws: ServerError.self) {
        _ = try await store.open(file: name, at: Self.address)
      }
      await #expect(throws: ServerError.self) {
        _ = try await store.open(upload: name, at: Self.address, fromNothing: true)
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test(arguments: ["..", "a/b", "", ".hidden"])
  func `a container ID that leads outside of its folder is refused`(container: String) async throws
  {
    try await withFolder { _, store in
      let address = StoreAddress(container: container, environment: .development)
      await #expect(throws: ServerError.self) {
        _ = try await store.open(upload: "upload-1", at: address, fromNothing: true)
      }
    }
  }

  private static func uploadPath(_ folder: URL) -> String {
    folder.path + "/iCloud.org.example/development.assets/uploads/upload-1"
  }

  /// The test changes the bytes on the disk. If the store read the bytes again, the checksum would
  /// be different.
  @Test func `the stored part of a resumed upload is not read again`() async throws {
    try await withFolder { folder, store in
      let upload = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      try await upload.append(Array("ab".utf8))
      await upload.close()
      let handle = try #require(FileHandle(forWritingAtPath: Self.uploadPath(folder)))
      try handle.write(contentsOf: Data("xy".utf8))
      try handle.close()
      let again = try await store.open(upload: "upload-1", at: Self.address, fromNothing: false)
      try await again.append(Array("c".utf8))
      #expect(try await again.finish(as: "00000001").checksum == Self.checksumOfABC)
    }
  }

  @Test
  func `the stored part of an upload is read again if its file has another length`() async throws {
    try await withFolder { folder, store in
      let upload = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      try await upload.append(Array("abXY".utf8))
      await upload.close()
      let handle = try #require(FileHandle(forWritingAtPath: Self.uploadPath(folder)))
      try handle.truncate(atOffset: 2)
      try handle.close()
      let again = try await store.open(upload: "upload-1", at: Self.address, fromNothing: false)
      #expect(again.received == 2)
      try await again.append(Array("c".utf8))
      #expect(try await again.finish(as: "00000001").checksum == Self.checksumOfABC)
    }
  }

  private static let checksumOfABC = AssetStoreConformance.checksumOfABC

  /// `/dev/null` accepts all bytes, and its flush fails.
  @Test func `an upload whose flush failed accepts no bytes and is removed`() async throws {
    try await withFolder { folder, store in
      let path = Self.uploadPath(folder)
      let uploads = (path as NSString).deletingLastPathComponent
      try FileManager.default.createDirectory(
        atPath: uploads, withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: path, withDestinationPath: "/dev/null")
      let upload = try await store.open(upload: "upload-1", at: Self.address, fromNothing: false)
      let piece = [UInt8](repeating: 0, count: 16_777_216)
      var failure: ServerError?
      for index in 0..<1_000_000 where failure == nil {
        do throws(ServerError) { try await upload.append(index == 0 ? piece : [0]) } catch {
          failure = error
        }
      }
      #expect(failure?.code == .internalError)
      await #expect(throws: ServerError.self) { _ = try await upload.finish(as: "00000001") }
      await upload.close()
      #expect(try FileManager.default.contentsOfDirectory(atPath: uploads).isEmpty)
    }
  }

  @Test func `an upload whose file could not be opened does not count as open`() async throws {
    try await withFolder { folder, store in
      let path = Self.uploadPath(folder)
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      await #expect(throws: ServerError.self) {
        _ = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
      }
      try FileManager.default.removeItem(atPath: path)
      try Data().write(to: URL(fileURLWithPath: path))
      try await store.discardUploads(at: Self.address, untouchedSince: .max)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a disk error becomes an internal error without a path`() async throws {
    try await withFolder { folder, store in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let inTheWay = folder.appendingPathComponent("iCloud.org.example")
      try Data().write(to: inTheWay)
      do throws(ServerError) {
        _ = try await store.open(upload: "upload-1", at: Self.address, fromNothing: true)
        Issue.record("a file was taken for a folder")
      } catch {
        #expect(error.code == .internalError)
        #expect(error.reason == Reason.internalError)
      }
    }
  }
}
