import Foundation

/// A file with a device's name, and the program that has it: a line each. Held by whoever has one
/// of these, and no longer than the process lives.
final class DeviceSlot: Sendable {
  /// What a slot says.
  struct Contents {
    let id: String
    /// Percent-encoded; nil: nobody's, as those are that were made before programs had theirs.
    let program: String?

    func belongs(to program: String) -> Bool {
      self.program?.utf8.elementsEqual(DeviceSlot.line(of: program).utf8) ?? false
    }
  }

  private let descriptor: Int32

  /// Takes a slot, and makes it where there is none.
  ///
  /// - Returns: nil: somebody holds it, or it cannot be had.
  init?(taking file: URL) {
    // NB: a child process that had it would hold the slot for as long as it runs.
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

  /// Bytes of a name, at most: what the server keeps of one.
  private static let idLengthMax = 64
  /// Bytes of a program's name that are kept and compared.
  private static let programLengthMax = 255

  private static func line(of program: String) -> String {
    String(Connection.escaped(program).prefix(programLengthMax))
  }

  /// What a slot says that somebody may hold, and be writing; nil: there is none, or it is damaged.
  static func contents(of file: URL) -> Contents? {
    let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return contents(of: descriptor)
  }

  /// What it says; nil: it is new, or somebody has spoilt it.
  var contents: Contents? { Self.contents(of: descriptor) }

  private static func contents(of descriptor: Int32) -> Contents? {
    var bytes = [UInt8](repeating: 0, count: idLengthMax + programLengthMax + 3)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    // A line counts once its line feed is there: half of one is none.
    let lines = bytes[..<count].split(separator: 0x0A, omittingEmptySubsequences: false)
      .dropLast()
    guard let id = lines.first, (1...idLengthMax).contains(id.count),
      id.allSatisfy({ (0x21...0x7E).contains($0) })
    else { return nil }
    return Contents(
      id: String(decoding: id, as: UTF8.self),
      program: lines.dropFirst().first.map { String(decoding: $0, as: UTF8.self) })
  }

  /// Makes it a program's, with the name it has, else a new one.
  ///
  /// - Returns: the name; nil: it could not be kept.
  func give(to program: String, newID: () -> String) -> String? {
    let known = contents?.id
    let id = known ?? newID()
    // NB: a name that is there stays there, also where the process dies in the midst of this.
    let start = known.map { $0.utf8.count + 1 } ?? 0
    let bytes = Array(((known == nil ? id + "\n" : "") + Self.line(of: program) + "\n").utf8)
    guard ftruncate(descriptor, off_t(start)) == 0,
      pwrite(descriptor, bytes, bytes.count, off_t(start)) == bytes.count, fsync(descriptor) == 0
    else { return nil }
    return id
  }
}
