import Dispatch
import Foundation
import StratusDomain
import Synchronization

/// Runs file system calls on separate threads, so that blocking calls do not delay the threads that
/// answer requests.
struct Disk: Sendable {
  private let queue = DispatchQueue(label: "stratus.assets", attributes: .concurrent)
  private let folders: KnownFolders

  /// - Parameter root: the top folder. Its parent folders are not created or flushed.
  init(root: String) { folders = KnownFolders(root: root) }

  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await run(body) { job in queue.async { job() } }
  }

  /// Runs a function that needs much processor time, or reads or writes many bytes, on a thread of
  /// low priority.
  func runQuietly<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await run(body) { job in DiskThreads.shared.run(job) }
  }

  private func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(ServerError) -> Value,
    by start: (@escaping DiskThreads.Job) -> Void
  ) async throws(ServerError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, ServerError>, Never>) in
      start {
        let result: Result<Value, ServerError>
        do throws(ServerError) { result = .success(try body()) } catch { result = .failure(error) }
        continuation.resume(returning: result)
      }
    }
    return try result.get()
  }

  /// Starts a flush of a file's bytes without waiting for it. If the flush fails, `file` stores the
  /// error for later calls.
  func flushSoon(_ file: DiskFile, whenDone: @escaping @Sendable () -> Void) {
    queue.async {
      try? file.flush()
      whenDone()
    }
  }

  /// Returns the error of the system call that has just failed.
  static func failure(_ call: String) -> ServerError {
    let number = errno
    let facts = ["call": call, "error": String(cString: strerror(number))]
    return number == ENOSPC || number == EDQUOT
      ? .full("the disk of the asset store", facts: facts)
      : .fault("the asset store's disk fails", facts: facts)
  }

  /// Returns the status of a file, or nil if there is no such file.
  static func status(_ path: String) throws(ServerError) -> stat? {
    var status = stat()
    if lstat(path, &status) == 0 { return status }
    if errno == ENOENT { return nil }
    throw failure("lstat")
  }

  /// Returns the names in a folder, sorted by their UTF-8 bytes. If there is no such folder, the
  /// array is empty.
  static func names(in folder: String) throws(ServerError) -> [String] {
    guard let stream = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure("opendir")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Creates a folder and its parent folders, and returns when their names are on disk.
  func makeFolder(_ path: String) throws(ServerError) { try folders.make(path) }

  /// Renames a file.
  ///
  /// - Parameter flushes: whether to return only when the new name is on disk.
  static func rename(
    _ path: String, to target: String, flushes: Bool = true
  ) throws(ServerError) {
    guard Foundation.rename(path, target) == 0 else { throw failure("rename") }
    if flushes { try flushFolder(of: target) }
  }

  /// Removes a file. Does nothing if the file does not exist.
  static func remove(_ path: String) throws(ServerError) {
    if unlink(path) != 0, errno != ENOENT { throw failure("unlink") }
  }

  static func flushFolder(of path: String) throws(ServerError) {
    try DiskFile(folder(of: path), O_RDONLY)?.flush()
  }

  static func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else {
      return "/"
    }
    return String(path[..<slash])
  }
}
