import Foundation
import StratusTransport
import Synchronization
import Testing

@testable import StratusKit

@Suite struct `The file cache` {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func cache(_ limits: AssetCache.Limits = AssetCache.Limits()) -> AssetCache {
    let names = Mutex(0)
    return AssetCache(
      in: folder.url, limits: limits, now: { Date() },
      newID: {
        names.withLock { names in
          names += 1
          return "n\(names)-" + UUID().uuidString
        }
      })
  }

  private func checksum(_ bytes: [UInt8]) throws -> [UInt8] {
    try FileChecksum.of(try folder.file("original", bytes))
  }

  private func names(_ cache: AssetCache, _ part: AssetCache.Part) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: cache.folder(of: part).path)
  }

  @Test func `the file cache is in the folder that an environment variable names`() {
    func folder(_ variables: [String: String]) -> String {
      AssetCache.folder(
        environmentVariables: variables, temporary: URL(fileURLWithPath: "/tmp/else")
      ).path
    }
    let home = self.folder.url.path
    #expect(folder(["STRATUS_CACHE": "/c", "XDG_CACHE_HOME": home]) == "/c")
    #expect(folder(["XDG_CACHE_HOME": home + "/x", "HOME": home]) == home + "/x/stratus")
    #expect(folder(["HOME": home]) == home + "/.cache/stratus")
    #expect(folder(["HOME": "/proc/nobody"]) == "/tmp/else")
    #expect(folder([:]) == "/tmp/else")
  }

  @Test func `only the owner of the file cache can read it`() async throws {
    let cache = cache()
    let url = try await cache.file(checksum: try checksum([1]), size: 1) {
      (file: IncomingFile) throws(CKError) in
      try file.take([1])
    }
    for path in [url.path, cache.folder(of: .staged).path, cache.folder(of: .files).path] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let permissions = try #require(attributes[FileAttributeKey.posixPermissions] as? NSNumber)
      #expect(permissions.intValue & 0o077 == 0)
    }
  }

  private func put(_ bytes: [UInt8], in cache: AssetCache) async throws -> URL {
    try await cache.file(checksum: try checksum(bytes), size: Int64(bytes.count)) {
      (file: IncomingFile) throws(CKError) in
      try file.take(bytes)
    }
  }

  @Test
  func `the file cache downloads a file once if many callers request it at the same time`()
    async throws
  {
    let cache = cache()
    let journal = Journal()
    let wanted = bytes(100)
    let sum = try checksum(wanted)
    let urls = await withTaskGroup(of: URL?.self) { group in
      for _ in 0..<20 {
        group.addTask {
          try? await cache.file(checksum: sum, size: 100) {
            (file: IncomingFile) async throws(CKError) in
            journal.note("asked")
            for _ in 0..<20 { await Task.yield() }
            try file.take(wanted)
          }
        }
      }
      return await group.reduce(into: Set<URL>()) { urls, url in url.map { _ = urls.insert($0) } }
    }
    #expect(urls.count == 20)
    #expect(journal.all == ["asked"])
  }

  @Test func `the file cache leaves no partial file after a failed download`() async throws {
    let cache = cache()
    let sum = try checksum([1, 2])
    do throws(CKError) {
      _ = try await cache.file(checksum: sum, size: 2) { (file: IncomingFile) throws(CKError) in
        try file.take([1])
        throw CKError(.networkFailure)
      }
      Issue.record("the download must fail")
    } catch {
      #expect(error.code == .networkFailure)
    }
    #expect(try names(cache, .partial).isEmpty)
    #expect(try names(cache, .files).isEmpty)
  }

  @Test
  func `a file cache above its size limit removes old files, but not the last returned file`()
    async throws
  {
    var limits = AssetCache.Limits()
    limits.bytesMax = 2_500
    let cache = cache(limits)
    var given: [URL] = []
    for seed in 1...4 { given.append(try await put(bytes(1_000, from: UInt32(seed)), in: cache)) }
    for url in given.prefix(3) { try FileManager.default.removeItem(at: url) }
    cache.trim()
    #expect(try names(cache, .files).count == 2)
    #expect(FileManager.default.fileExists(atPath: given[3].path))
    limits.stagedSecondsMin = -1
    limits.bytesMax = 0
    self.cache(limits).trim()
    #expect(try names(cache, .files).isEmpty)
    #expect(try names(cache, .staged).isEmpty)
  }

  @Test func `the file cache removes files that have expired`() async throws {
    var limits = AssetCache.Limits()
    limits.stagedSecondsMax = -1
    limits.fileSecondsMax = -1
    limits.partialSecondsMax = -1
    let cache = cache()
    _ = try await put([1], in: cache)
    try Data([1]).write(to: cache.folder(of: .partial).appendingPathComponent("left"))
    cache.trim()
    #expect(try names(cache, .partial).count == 1)
    self.cache(limits).trim()
    for part in AssetCache.Part.allCases { #expect(try names(cache, part).isEmpty) }
  }
}

extension IncomingFile {
  fileprivate func take(_ bytes: [UInt8]) throws(CKError) {
    do throws(FileFailure) {
      try append(bytes[...])
    } catch {
      throw CKError(downloading: .file(error))
    }
  }
}
