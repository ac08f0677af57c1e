import Crypto
public import Foundation
import Synchronization

/// What is written down of one operation: its request, each step it has begun, each answer it got.
///
/// Whoever holds one of these is the only one who runs the operation: a lock ends with it, and with
/// the process. Each piece is a file of its own, there as a whole or not at all, and on disk when
/// the method returns that wrote it. What cannot be written is left out: the operation goes on, and
/// a process that dies repeats what was not written.
public final class SavedOperation: Sendable {
  static let finishedName = "finished"
  private static let requestName = "request"
  private static let userName = "user"

  /// The operation's own.
  public let id: String
  private let folder: URL
  private let descriptor: Int32
  private let isForgotten = Mutex(false)

  /// Takes the operation in that folder; nil: it cannot be had.
  init?(at folder: URL, id: String, makesFolder: Bool) {
    if makesFolder {
      do {
        try FileManager.default.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        return nil
      }
      Self.synchronize(folder.deletingLastPathComponent())
    }
    // NB: a child process that had it would hold the lock for as long as it runs.
    let descriptor = Foundation.open(
      folder.appendingPathComponent("lock").path,
      O_RDWR | O_CLOEXEC | (makesFolder ? O_CREAT : 0), 0o600)
    guard descriptor >= 0 else { return nil }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else {
        close(descriptor)
        return nil
      }
    }
    self.id = id
    self.folder = folder
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  static func isWhole(_ folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(requestName).path)
  }

  // The operation.

  /// What it is to do; nil: it was not written, or not by us.
  public var request: Data? { Self.request(at: folder) }

  static func request(at folder: URL) -> Data? {
    let file = folder.appendingPathComponent(requestName)
    guard let kept = try? Data(contentsOf: file), kept.count >= SHA256.byteCount else { return nil }
    let contents = kept.dropFirst(SHA256.byteCount)
    guard SHA256.hash(data: contents).elementsEqual(kept.prefix(SHA256.byteCount)) else {
      return nil
    }
    return Data(contents)
  }

  /// Writes what it is to do, last of all that makes it whole.
  ///
  /// - Returns: whether it is on disk.
  public func keep(request: Data) -> Bool {
    write(Data(SHA256.hash(data: request)) + request, to: Self.requestName)
  }

  /// Whose it is: the record name of the user, empty for nobody; nil: not known yet.
  public var userRecordName: String? { Self.userRecordName(at: folder) }

  static func userRecordName(at folder: URL) -> String? {
    let data = try? Data(contentsOf: folder.appendingPathComponent(userName))
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  public func keep(userRecordName: String) {
    _ = write(Data(userRecordName.utf8), to: Self.userName)
  }

  /// Copies a file, so that the operation has it however long it takes.
  ///
  /// - Returns: the copy's name for ``file(named:)``; nil: it could not be copied.
  public func keep(file: URL, number: Int) -> String? {
    let name = "file-\(number)"
    let copy = folder.appendingPathComponent(name)
    do {
      try FileManager.default.copyItem(at: file, to: copy)
      let handle = try FileHandle(forUpdating: copy)
      try handle.synchronize()
      try handle.close()
      return name
    } catch {
      return nil
    }
  }

  /// A copy of ``keep(file:number:)``.
  public func file(named name: String) -> URL { folder.appendingPathComponent(name) }

  // Its steps.

  /// What the server answered to a step.
  public func answer(to step: String) -> [UInt8]? {
    read("answer-" + Self.name(of: step)).map(Array.init)
  }

  public func keep(answer: [UInt8], to step: String) {
    if write(Data(answer), to: "answer-" + Self.name(of: step)) { dropBegin(of: step) }
  }

  /// Whether a step was begun whose end nobody knows.
  public func hasBegun(_ step: String) -> Bool {
    FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("begun-" + Self.name(of: step)).path)
  }

  /// Notes that the server is about to be asked for something that must not be done twice.
  public func begin(_ step: String) { _ = write(Data(), to: "begun-" + Self.name(of: step)) }

  /// Notes that the server has not done it.
  public func dropBegin(of step: String) {
    try? FileManager.default.removeItem(
      at: folder.appendingPathComponent("begun-" + Self.name(of: step)))
  }

  // Its end.

  /// Notes that there is nothing left to do but to tell the app.
  public func finish() { _ = write(Data(), to: Self.finishedName) }

  /// Removes everything.
  public func forget() {
    let isDue = isForgotten.withLock { isForgotten in
      defer { isForgotten = true }
      return !isForgotten
    }
    guard isDue else { return }
    // NB: first, so that what a crash leaves behind is no operation.
    try? FileManager.default.removeItem(at: folder.appendingPathComponent(Self.requestName))
    try? FileManager.default.removeItem(at: folder)
  }

  private static func name(of step: String) -> String {
    SHA256.hash(data: Data(step.utf8)).prefix(16).map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0" + digits : digits
    }.joined()
  }

  private func read(_ name: String) -> Data? {
    try? Data(contentsOf: folder.appendingPathComponent(name))
  }

  private func write(_ data: Data, to name: String) -> Bool {
    if isForgotten.withLock({ $0 }) { return false }
    do {
      try PrivateFile.replace(folder.appendingPathComponent(name), with: data)
      return true
    } catch {
      return false
    }
  }

  /// The folder's name, too, must outlast a power failure.
  private static func synchronize(_ folder: URL) {
    let descriptor = Foundation.open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
