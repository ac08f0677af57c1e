import Crypto
public import Foundation
import Synchronization

/// The saved state of one operation: its request, the steps that it has begun, and the answers that
/// it has received. A step is one request to the server.
///
/// Only the holder of this object may run the operation. A file lock enforces this rule. The lock
/// ends with the object or with the process. Each piece of state is a file that exists completely
/// or not at all. The file is on disk when the method that writes it returns. Write errors are
/// ignored: the operation continues, and a later process repeats the steps that were not saved.
public final class SavedOperation: Sendable {
  static let finishedName = "finished"
  private static let requestName = "request"
  private static let userName = "user"

  /// The operation's ID.
  public let id: String
  private let folder: URL
  private let descriptor: Int32
  /// NB: this mutex is locked while a file is written. A file that is created during the deletion
  /// would prevent the removal of the folder.
  private let isForgotten = Mutex(false)

  /// Opens and locks the operation's folder. Returns nil if the folder cannot be opened or locked.
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
    // NB: without `O_CLOEXEC` a child process would inherit the lock and hold it while it runs.
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

  /// The saved request. It is nil if there is none, or if its checksum does not match.
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

  /// Saves the request. It must be saved last: an operation whose folder has a request counts as
  /// completely saved.
  ///
  /// - Returns: whether the request is on disk.
  public func keep(request: Data) -> Bool {
    write(Data(SHA256.hash(data: request)) + request, to: Self.requestName)
  }

  /// The record name of the operation's user. It is empty if no user was signed in, and nil if the
  /// user is not known yet.
  public var userRecordName: String? { Self.userRecordName(at: folder) }

  static func userRecordName(at folder: URL) -> String? {
    let data = try? Data(contentsOf: folder.appendingPathComponent(userName))
    return data.map { String(decoding: $0, as: UTF8.self) }
  }

  public func keep(userRecordName: String) {
    _ = write(Data(userRecordName.utf8), to: Self.userName)
  }

  /// Copies a file, so that the operation can still read it later.
  ///
  /// - Returns: the copy's name for ``file(named:)``, or nil if the copy failed.
  public func keep(file: URL, number: Int) -> String? {
    let name = "file-\(number)"
    let copy = folder.appendingPathComponent(name)
    return unlessForgotten {
      try FileManager.default.copyItem(at: file, to: copy)
      let handle = try FileHandle(forUpdating: copy)
      try handle.synchronize()
      try handle.close()
    } ? name : nil
  }

  /// Returns the URL of a copy that ``keep(file:number:)`` made.
  public func file(named name: String) -> URL { folder.appendingPathComponent(name) }

  // The steps.

  /// Returns the server's answer to a step, or nil if none is saved.
  public func answer(to step: String) -> [UInt8]? {
    read("answer-" + Self.name(of: step)).map(Array.init)
  }

  public func keep(answer: [UInt8], to step: String) {
    if write(Data(answer), to: "answer-" + Self.name(of: step)) { dropBegin(of: step) }
  }

  /// Returns whether a step has begun and its outcome is unknown.
  public func hasBegun(_ step: String) -> Bool {
    FileManager.default.fileExists(
      atPath: folder.appendingPathComponent("begun-" + Self.name(of: step)).path)
  }

  /// Marks a step as begun: its request is about to be sent, and must not be sent twice.
  public func begin(_ step: String) { _ = write(Data(), to: "begun-" + Self.name(of: step)) }

  /// Removes the mark of ``begin(_:)``, because the server's answer is saved, or because the server
  /// has not carried out the request.
  public func dropBegin(of step: String) {
    try? FileManager.default.removeItem(
      at: folder.appendingPathComponent("begun-" + Self.name(of: step)))
  }

  // The end.

  /// Marks the operation as complete except for its callbacks to the app.
  public func finish() { _ = write(Data(), to: Self.finishedName) }

  /// Deletes the saved operation.
  public func forget() {
    isForgotten.withLock { isForgotten in
      if isForgotten { return }
      isForgotten = true
      // NB: the request is deleted first. After a crash, the remaining files then do not count as
      // an operation.
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(Self.requestName))
      try? FileManager.default.removeItem(at: folder)
    }
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
    unlessForgotten { try PrivateFile.replace(folder.appendingPathComponent(name), with: data) }
  }

  /// Writes a file, unless the operation has been deleted.
  ///
  /// - Returns: whether the file is on disk.
  private func unlessForgotten(_ write: () throws -> Void) -> Bool {
    isForgotten.withLock { isForgotten in
      if isForgotten { return false }
      do { try write() } catch { return false }
      return true
    }
  }

  /// Synchronizes the folder, so that the new file name survives a power failure.
  private static func synchronize(_ folder: URL) {
    let descriptor = Foundation.open(folder.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
