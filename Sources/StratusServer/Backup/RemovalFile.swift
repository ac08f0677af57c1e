import Foundation
import StratusDomain
import StratusSQLite
import StratusWire
import Synchronization

/// The journal of removals, as a file of JSON lines in the data folder. Entries are only appended.
///
/// A backup contains a copy of the file. A restore takes the entries that are later than the
/// backup, and the server applies them when it starts. They stay in the file until then, or are
/// copied to the registry of nodes (``RemovalRegistry/pendingRemovals()``).
final class RemovalFile: RemovalJournal {
  static let name = "removals.log"
  /// The file with the time of the restored backup, in milliseconds since 1970 UTC. It exists until
  /// the later entries of the journal are applied.
  private static let pendingName = "removals.pending"
  /// The maximum size of a journal that is read, in bytes. Choice: enough for ten million entries.
  private static let sizeBytesMax = 1_073_741_824

  private let data: URL
  private let lock = Mutex(())

  init(data: URL) { self.data = data }

  static func location(in data: URL) -> URL { data.appendingPathComponent(name) }
  private static func pending(in data: URL) -> URL { data.appendingPathComponent(pendingName) }

  func append(_ entries: [RemovalEntry]) throws(ServerError) {
    if entries.isEmpty { return }
    var bytes: [UInt8] = []
    for entry in entries { bytes += entry.jsonBytes + [UInt8(ascii: "\n")] }
    let path = Self.location(in: data).path
    let isNew = access(path, F_OK) != 0
    let failure = lock.withLock { _ in Self.append(bytes, to: path) }
    if let failure {
      throw .fault(
        "the journal of removals cannot be written",
        facts: ["path": path, "error": String(cString: strerror(failure))])
    }
    if isNew { DataFolder.flushNames(in: data) }
  }

  /// - Returns: the error number (`errno`), or nil if the bytes are on disk.
  private static func append(_ bytes: [UInt8], to path: String) -> Int32? {
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { return errno }
    defer { close(file) }
    var bytes = bytes
    var last: UInt8 = 0
    let end = lseek(file, 0, SEEK_END)
    // An entry that a crash cut off must not spoil the next one.
    if end > 0, pread(file, &last, 1, end - 1) == 1, last != UInt8(ascii: "\n") {
      bytes.insert(UInt8(ascii: "\n"), at: 0)
    }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return errno }
      written += count
    }
    return fsync(file) == 0 ? nil : errno
  }

  /// Reads the entries of a journal that are later than a time. A line that a crash cut off is left
  /// out.
  ///
  /// - Throws: ``BackupFailure``.
  static func entries(
    in file: URL, after time: Int64
  ) throws(BackupFailure) -> [RemovalEntry] {
    let entries = try lines(of: file).compactMap { line -> RemovalEntry? in
      guard let entry = try? RemovalEntry(jsonBytes: Array(line)), entry.time > time else {
        return nil
      }
      return entry
    }
    // NB: an operator may have joined the journals of several nodes. Entries of the same time stay
    // in the order of the file.
    return entries.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
  }

  private static func lines(of file: URL) throws(BackupFailure) -> [ArraySlice<UInt8>] {
    guard let handle = try? FileHandle(forReadingFrom: file) else {
      throw BackupFailure("the journal of removals \(file.path) cannot be read")
    }
    defer { try? handle.close() }
    guard let bytes = try? handle.read(upToCount: sizeBytesMax + 1), bytes.count <= sizeBytesMax
    else {
      if (try? handle.offset()) == 0 { return [] }
      throw BackupFailure("the journal of removals \(file.path) is too large")
    }
    return Array(bytes).split(separator: UInt8(ascii: "\n"))
  }

  /// Copies the journal of a data folder into a backup, if there is one.
  ///
  /// - Throws: ``BackupFailure``.
  static func copy(from data: URL, to folder: URL) throws(BackupFailure) {
    let source = location(in: data)
    guard FileManager.default.fileExists(atPath: source.path) else { return }
    let bytes = try lines(of: source).joined(separator: [UInt8(ascii: "\n")])
    do { try OwnerFile.write(Array(bytes) + [UInt8(ascii: "\n")], to: location(in: folder)) } catch
    {
      throw BackupFailure("the journal of removals cannot be copied: \(error)")
    }
  }

  /// Puts a journal into a restored data folder, and asks the server to apply the later entries.
  ///
  /// - Parameter time: the start of the backup, in milliseconds since 1970 UTC.
  /// - Returns: the number of later entries.
  /// - Throws: ``BackupFailure``.
  static func restore(
    _ journal: URL, to data: URL, after time: Int64
  ) throws(BackupFailure) -> Int {
    let later = try entries(in: journal, after: time)
    try copy(from: journal.deletingLastPathComponent(), named: journal.lastPathComponent, to: data)
    if later.isEmpty { return 0 }
    do { try OwnerFile.write(Array(String(time).utf8), to: pending(in: data)) } catch {
      throw BackupFailure("the journal of removals cannot be restored: \(error)")
    }
    return later.count
  }

  private static func copy(
    from folder: URL, named name: String, to data: URL
  ) throws(BackupFailure) {
    let bytes = try lines(of: folder.appendingPathComponent(name))
      .joined(separator: [UInt8(ascii: "\n")])
    do { try OwnerFile.write(Array(bytes) + [UInt8(ascii: "\n")], to: location(in: data)) } catch {
      throw BackupFailure("the journal of removals cannot be restored: \(error)")
    }
  }

  /// Returns the entries that must be applied to restored data, or nil if there are none.
  ///
  /// - Throws: ``BackupFailure``.
  func pendingEntries() throws(BackupFailure) -> [RemovalEntry]? {
    guard let text = try? String(contentsOf: Self.pending(in: data), encoding: .utf8) else {
      return nil
    }
    guard let time = Int64(text) else {
      throw BackupFailure("\(Self.pending(in: data).path) cannot be read")
    }
    return try Self.entries(in: Self.location(in: data), after: time)
  }

  /// Refuses a data folder that has a journal.
  ///
  /// - Throws: ``BackupFailure``.
  static func requireNone(in data: URL) throws(BackupFailure) {
    for file in [location(in: data), pending(in: data)]
    where FileManager.default.fileExists(atPath: file.path) {
      throw BackupFailure(
        "\(file.path) exists already: move it away, and name the journal with --removals")
    }
  }

  /// Removes the journal of a data folder whose restore was interrupted.
  static func remove(from data: URL) {
    try? FileManager.default.removeItem(at: location(in: data))
  }

  /// Copies the journal of a restored folder into another folder that has no journal. The later
  /// entries are applied from the database, and not from this folder.
  ///
  /// - Throws: ``BackupFailure``.
  static func keep(journalOf restored: URL, in data: URL) throws(BackupFailure) {
    do {
      try FileManager.default.createDirectory(
        at: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw BackupFailure("\(data.path) cannot be created: \(error)")
    }
    try copy(from: restored, to: data)
    DataFolder.flushNames(in: data)
  }

  /// Notes that the later entries were applied.
  func forgetPending() {
    try? FileManager.default.removeItem(at: Self.pending(in: data))
    DataFolder.flushNames(in: data)
  }
}
