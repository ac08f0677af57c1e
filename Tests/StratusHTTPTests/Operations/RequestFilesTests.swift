import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusServer

@Suite struct `The request log on disk` {
  private static let day: Int64 = 86_400_000

  private func entry(_ number: Int, time: Int64 = 1_000) -> WrittenEntry {
    WrittenEntry(
      RequestEntry(
        requestID: "r\(number)", time: time, milliseconds: 1, bytesIn: 1, bytesOut: 2,
        containerID: "iCloud.org.example.Notes", environment: .development, database: .public,
        endpoint: "records/query", outcome: "ok", steps: 3, userRecordName: nil, deviceID: "d",
        app: "Notes/1"))
  }

  private func entries(_ range: Range<Int>, time: Int64 = 1_000) -> [WrittenEntry] {
    range.map { entry($0, time: time) }
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-requests-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func files(in folder: URL) -> [String] {
    let path = folder.appendingPathComponent(RequestFiles.folderName).path
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  private func sizeBytes(of folder: URL) throws -> Int64 {
    try files(in: folder).reduce(0) { sum, name in
      let path = folder.appendingPathComponent(RequestFiles.folderName + "/" + name).path
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
      return sum + (size?.int64Value ?? 0)
    }
  }

  /// Returns the IDs of all entries, the oldest first.
  private func names(_ log: RequestFiles) throws -> [String] {
    var all: [String] = []
    var number = Int.max
    while let piece = try log.piece(before: number) {
      all = piece.entries.map(\.requestID) + all
      number = piece.first
    }
    return all
  }

  @Test func `the request log keeps its entries after a restart and continues their numbers`()
    throws
  {
    try withFolder { folder in
      let before = try RequestFiles(data: folder, settings: .init())
      #expect(before.nextNumber == 0)
      try before.append(entries(0..<5), first: 0)
      try before.append(entries(5..<7), first: 5)
      let after = try RequestFiles(data: folder, settings: .init())
      #expect(after.nextNumber == 7)
      try after.append(entries(7..<8), first: 7)
      #expect(try names(after) == (0..<8).map { "r\($0)" })
      let piece = try #require(try after.piece(before: 7))
      #expect(piece.first == 0 && piece.entries.count == 7)
    }
  }

  /// The entries take about 600,000 bytes, and are written in several batches.
  @Test func `the request log on disk keeps the order and the numbers of many new entries`()
    throws
  {
    try withFolder { folder in
      let log = try RequestFiles(data: folder, settings: .init())
      try log.append(entries(0..<2_000), first: 0)
      try log.append(entries(2_000..<2_001), first: 2_000)
      #expect(log.nextNumber == 2_001)
      #expect(try names(log) == (0..<2_001).map { "r\($0)" })
      #expect(try RequestFiles(data: folder, settings: .init()).nextNumber == 2_001)
    }
  }

  @Test func `only the owner can read the folder and the files of the request log`() throws {
    try withFolder { folder in
      try RequestFiles(data: folder, settings: .init()).append(entries(0..<1), first: 0)
      let log = folder.appendingPathComponent(RequestFiles.folderName)
      let paths = [log.path] + files(in: folder).map { log.appendingPathComponent($0).path }
      #expect(paths.count == 2)
      for path in paths {
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(try #require(mode as? NSNumber).intValue & 0o077 == 0, "\(path)")
      }
    }
  }

  @Test func `the request log does not exceed its size, and keeps the newest entries`() throws {
    try withFolder { folder in
      let bytesMax: Int64 = 65_536
      let log = try RequestFiles(data: folder, settings: .init(bytesMax: bytesMax))
      for batch in 0..<40 {
        try log.append(entries(batch * 50..<batch * 50 + 50), first: batch * 50)
        // The newest file may exceed its part of the maximum size by one entry.
        #expect(try sizeBytes(of: folder) <= bytesMax + 1_000)
      }
      let kept = try names(log)
      #expect(kept.last == "r1999")
      #expect(kept.count > 100 && kept.count < 2_000)
      #expect(kept == (2_000 - kept.count..<2_000).map { "r\($0)" })
    }
  }

  @Test func `files of the request log with entries that are too old are removed`() throws {
    try withFolder { folder in
      let log = try RequestFiles(data: folder, settings: .init(days: 2))
      try log.append(entries(0..<3, time: Self.day), first: 0)
      try log.append(entries(3..<4, time: 2 * Self.day), first: 3)
      #expect(files(in: folder).count == 2)
      let first = folder.appendingPathComponent(
        RequestFiles.folderName + "/" + files(in: folder)[0])
      let now: Int64 = 1_800_000_000_000
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(now / 1_000) - 3 * 86_400)],
        ofItemAtPath: first.path)
      let second = folder.appendingPathComponent(
        RequestFiles.folderName + "/" + files(in: folder)[1])
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: Double(now / 1_000) - 86_400)],
        ofItemAtPath: second.path)
      log.prune(at: now)
      #expect(try names(log) == ["r3"])
    }
  }

  @Test func `if a crash cut off a line of the request log, the lines before it are still read`()
    throws
  {
    try withFolder { folder in
      try RequestFiles(data: folder, settings: .init()).append(entries(0..<3), first: 0)
      let file = folder.appendingPathComponent(RequestFiles.folderName + "/" + files(in: folder)[0])
      let bytes = try Data(contentsOf: file)
      try bytes.dropLast(20).write(to: file)
      let log = try RequestFiles(data: folder, settings: .init())
      #expect(log.nextNumber == 2)
      try log.append(entries(2..<4), first: 2)
      #expect(try names(log) == ["r0", "r1", "r2", "r3"])
    }
  }

  @Test func `lost entries of the request log leave a gap in the numbers`() throws {
    try withFolder { folder in
      let log = try RequestFiles(data: folder, settings: .init())
      try log.append(entries(0..<2), first: 0)
      try log.append(entries(9..<11), first: 9)
      #expect(try log.piece(before: 9)?.first == 0)
      #expect(try log.piece(before: 11)?.first == 9)
      #expect(try names(log) == ["r0", "r1", "r9", "r10"])
    }
  }
}
