import Foundation

/// A locked file with two lines: the name of a device, and the program that uses it. The lock ends
/// with this object or with the process.
final class DeviceSlot: Sendable {
  /// The contents of a slot.
  struct Contents {
    let id: String
    /// The percent-encoded name of the program. It is nil if an older version created the slot,
    /// which then belongs to no program.
    let program: String?

    func belongs(to program: String) -> Bool {
      self.program?.utf8.elementsEqual(DeviceSlot.line(of: program).utf8) ?? false
    }
  }

  private let descriptor: Int32

  /// Locks a slot file, and creates it if it does not exist.
  ///
  /// - Returns: nil if another process holds the slot, or if the file cannot be opened.
  init?(taking file: URL) {
    // NB: without `O_CLOEXEC` a child process would inherit the lock and hold it while it runs.
    let descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        return nil
      }
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// The maximum number of bytes of a device name. The server stores no more.
  private static let idLengthMax = 64
  /// The maximum number of bytes of a program's name that are stored and compared.
  private static let programLengthMax = 255

  private static func line(of program: String) -> String {
    String(Connection.escaped(program).prefix(programLengthMax))
  }

  /// Reads a slot without locking it, so another process may be writing it at the same time.
  /// Returns nil if the slot is missing or damaged.
  static func contents(of file: URL) -> Contents? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return contents(of: descriptor)
  }

  /// The contents of this slot. They are nil if the slot is new or damaged.
  var contents: Contents? { Self.contents(of: descriptor) }

  private static func contents(of descriptor: Int32) -> Contents? {
    var bytes = [UInt8](repeating: 0, count: idLengthMax + programLengthMax + 3)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    // A line is complete only with its line feed. An incomplete line is ignored.
    let lines = bytes[..<count].split(separator: 0x0A, omittingEmptySubsequences: false)
      .dropLast()
    guard let id = lines.first, (1...idLengthMax).contains(id.count),
      id.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return Contents(
      id: String(decoding: id, as: UTF8.self),
      program: lines.dropFirst().first.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Assigns the slot to a program. The slot keeps its device name, or gets a new one.
  ///
  /// - Returns: the device name, or nil if it could not be written.
  func give(to program: String, newID: () -> String) -> String? {
    let known = contents?.id
    let id = known ?? newID()
    // NB: an existing device name is not rewritten, so that it survives a crash during this write.
    let start = known.map { $0.utf8.count + 1 } ?? 0
    let bytes = Array(((known == nil ? id + "\n" : "") + Self.line(of: program) + "\n").utf8)
    guard ftruncate(descriptor, off_t(start)) == 0,
      pwrite(descriptor, bytes, bytes.count, off_t(start)) == bytes.count, fsync(descriptor) == 0
    else { return nil }
    return id
  }
}
