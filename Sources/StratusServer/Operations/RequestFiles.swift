import Foundation
import StratusDomain
public import StratusWire
import Synchronization

/// The bounds of the request log on disk.
public struct RequestLogSettings: Sendable, Hashable {
  /// The number of days for which entries are kept. An entry is removed at most a day later.
  public var days: Int64
  /// The maximum size of all files, in bytes.
  public var bytesMax: Int64

  public init(
    days: Int64 = Limits.requestLogDays, bytesMax: Int64 = Limits.requestLogBytesMax
  ) {
    self.days = days
    self.bytesMax = bytesMax
  }
}

/// The request log on disk: files with one JSON object in each line, in a folder that only the
/// owner of the data can read.
///
/// Each file is named by the number of its first entry. New entries go to the newest file. When it
/// is large or a day old, the next one begins. The oldest files are removed.
final class RequestFiles: RequestArchive {
  /// The name of the folder in the data folder.
  static let folderName = "requests"
  private static let suffix = ".jsonl"
  private static let dayMilliseconds: Int64 = 86_400_000
  /// The maximum number of files. Each start of the server begins a file.
  private static let filesMax = 512
  /// The number of bytes that are written at once. Choice: few system calls, and the bytes stay in
  /// the processor's caches.
  private static let batchBytes = 65_536

  private struct Segment {
    var first: Int
    var bytes: Int64
  }

  private struct State {
    /// The files, the oldest first.
    var segments: [Segment] = []
    var next = 0
    /// The descriptor of the newest file, or nil if the next entry begins a file.
    var file: Int32?
    /// The time of the first entry of the newest file.
    var begunAt: Int64 = 0
    /// Memory for the lines of the next batch.
    var lines: [UInt8] = []
  }

  private let folder: URL
  private let settings: RequestLogSettings
  private let segmentBytesMax: Int64
  private let state = Mutex(State())

  /// - Throws: an error if an existing file cannot be read.
  init(data: URL, settings: RequestLogSettings) throws {
    folder = data.appendingPathComponent(Self.folderName, isDirectory: true)
    self.settings = settings
    segmentBytesMax = min(max(settings.bytesMax / 16, 4_096), 1_048_576)
    var segments: [Segment] = []
    // NB: this initializer does not create the folder, because the data folder is not locked yet.
    // The first entry creates it.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      guard name.hasSuffix(Self.suffix), let first = Int(name.dropLast(Self.suffix.count)) else {
        continue
      }
      let size = try? FileManager.default.attributesOfItem(
        atPath: folder.appendingPathComponent(name).path)[.size]
      segments.append(Segment(first: first, bytes: (size as? NSNumber)?.int64Value ?? 0))
    }
    segments.sort { $0.first < $1.first }
    var next = 0
    if let last = segments.last {
      next = last.first + (try read(last.first)?.entries.count ?? 0)
    }
    state.withLock { ($0.segments, $0.next) = (segments, next) }
  }

  deinit { state.withLock { Self.close(&$0) } }

  var nextNumber: Int { state.withLock { $0.next } }

  func append(_ entries: [WrittenEntry], first: Int) throws(ServerError) {
    try state.withLock { (state) throws(ServerError) in
      var number = first
      var rest = entries[...]
      while let begin = rest.first {
        if state.file == nil || number != state.next
          || (state.segments.last?.bytes ?? 0) >= segmentBytesMax
          || begin.time - state.begunAt >= Self.dayMilliseconds
        {
          try open(&state, first: number, at: begin.time)
        }
        let room = min(
          segmentBytesMax - (state.segments.last?.bytes ?? 0), Int64(Self.batchBytes))
        state.lines.removeAll(keepingCapacity: true)
        var count = 0
        for entry in rest {
          state.lines += entry.json
          state.lines.append(UInt8(ascii: "\n"))
          count += 1
          if Int64(state.lines.count) >= room { break }
        }
        try write(state.lines, &state)
        number += count
        state.next = number
        rest = rest.dropFirst(count)
      }
    }
  }

  func piece(before number: Int) throws(ServerError) -> ArchivePiece? {
    var firsts = state.withLock { $0.segments.map(\.first) }
    while let last = firsts.last {
      firsts.removeLast()
      guard last < number else { continue }
      // NB: a file may be removed at any time, and the first line of a file may be missing after a
      // crash.
      if let piece = try read(last), !piece.entries.isEmpty { return piece }
    }
    return nil
  }

  /// Returns the time of the last change of a file, in milliseconds since 1970 UTC, or nil if there
  /// is no such file.
  private static func changedAt(_ path: String) -> Int64? {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    guard let date = attributes?[.modificationDate] as? Date else { return nil }
    return Int64(date.timeIntervalSince1970 * 1_000)
  }

  /// Removes the files that are too old.
  func prune(at now: Int64) {
    state.withLock { state in
      if state.file != nil, now - state.begunAt >= Self.dayMilliseconds { Self.close(&state) }
      let oldest = now - settings.days * Self.dayMilliseconds
      while let segment = state.segments.first,
        state.file == nil || state.segments.count > 1
      {
        guard let changed = Self.changedAt(path(segment.first)), changed >= oldest else {
          unlink(path(segment.first))
          state.segments.removeFirst()
          continue
        }
        break
      }
    }
  }

  private func path(_ first: Int) -> String {
    let digits = String(first)
    let name = String(repeating: "0", count: max(0, 16 - digits.count)) + digits
    return folder.appendingPathComponent(name + Self.suffix).path
  }

  private static func close(_ state: inout State) {
    if let file = state.file { _ = Foundation.close(file) }
    state.file = nil
  }

  /// Removes the oldest files as far as the bounds require, and begins a new file.
  private func open(_ state: inout State, first: Int, at time: Int64) throws(ServerError) {
    Self.close(&state)
    while let segment = state.segments.first,
      state.segments.count >= Self.filesMax
        || state.segments.reduce(0, { $0 + $1.bytes }) + segmentBytesMax > settings.bytesMax
    {
      unlink(path(segment.first))
      state.segments.removeFirst()
    }
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = Foundation.open(path(first), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.fault(errno) }
    state.file = file
    state.begunAt = time
    state.segments.removeAll { $0.first == first }
    state.segments.append(Segment(first: first, bytes: 0))
  }

  private func write(_ bytes: [UInt8], _ state: inout State) throws(ServerError) {
    guard let file = state.file, let place = state.segments.indices.last else { return }
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Foundation.write(file, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let number = errno
        // An incomplete batch is removed, because the next attempt writes the whole batch again.
        _ = ftruncate(file, off_t(state.segments[place].bytes))
        Self.close(&state)
        throw Self.fault(number)
      }
      offset += count
    }
    state.segments[place].bytes += Int64(bytes.count)
  }

  /// Reads a file up to its first incomplete line. Returns nil if there is no such file.
  private func read(_ first: Int) throws(ServerError) -> ArchivePiece? {
    guard let data = FileManager.default.contents(atPath: path(first)) else { return nil }
    var entries: [RequestEntry] = []
    for line in Array(data).split(separator: UInt8(ascii: "\n")) {
      guard let entry = try? RequestEntry(jsonBytes: Array(line)) else { break }
      entries.append(entry)
    }
    return ArchivePiece(first: first, entries: entries)
  }

  private static func fault(_ number: Int32) -> ServerError {
    .fault(
      "the request log cannot be written", facts: ["error": String(cString: strerror(number))])
  }
}
