import Crypto
import Foundation
import StratusDomain
import StratusWire
import Synchronization

/// An upload into a folder; its checksum is computed as the bytes come.
final class FolderUpload: AssetUpload {
  private struct State {
    /// nil: ended, or lost to who opened the upload after.
    var file: DiskFile?
    var hash = SHA256()
    var received: Int64 = 0
    /// Bytes that are on disk or on their way there.
    var flushed: Int64 = 0
    var isFlushing = false
  }

  /// Bytes of a piece read again when an upload goes on.
  private static let pieceBytes = 262_144
  /// Bytes after which the disk is told to begin keeping them, so that the end of a large file need
  /// not wait for all of it, and memory is not filled with what the disk has still to write.
  private static let flushBytes: Int64 = 16_777_216

  let path: String
  private let folders: AssetFolders
  private let disk: Disk
  private let now: @Sendable () -> Int64
  private let onEnd: @Sendable (FolderUpload) -> Void
  private let state = Mutex(State())

  init(
    path: String, folders: AssetFolders, disk: Disk, now: @escaping @Sendable () -> Int64,
    onEnd: @escaping @Sendable (FolderUpload) -> Void
  ) {
    self.path = path
    self.folders = folders
    self.disk = disk
    self.now = now
    self.onEnd = onEnd
  }

  var received: Int64 { state.withLock(\.received) }

  /// Opens the file and makes the checksum of what it has.
  func begin(fromNothing: Bool) throws(ServerError) {
    try Disk.makeFolder(folders.uploads)
    try change { (state) throws(ServerError) in
      let flags = O_RDWR | O_CREAT | (fromNothing ? O_TRUNC : 0)
      guard let file = try DiskFile(path, flags) else { throw Disk.failure("open") }
      var bytes: [UInt8]
      repeat {
        bytes = try file.read(at: state.received, count: Self.pieceBytes)
        state.hash.update(data: bytes)
        state.received += Int64(bytes.count)
      } while bytes.count == Self.pieceBytes
      state.flushed = state.received
      state.file = file
    }
  }

  /// Another has opened the upload.
  func lose() { state.withLock { $0.file = nil } }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try await disk.run { () throws(ServerError) in
      try self.change { (state) throws(ServerError) in
        let file = try Self.open(state)
        do throws(ServerError) { try file.write(bytes, at: state.received) } catch {
          try? file.truncate(to: state.received)
          throw error
        }
        state.hash.update(data: bytes)
        state.received += Int64(bytes.count)
        if !state.isFlushing, state.received - state.flushed >= Self.flushBytes {
          state.flushed = state.received
          state.isFlushing = true
          self.disk.flushSoon(file) { self.state.withLock { $0.isFlushing = false } }
        }
      }
    }
  }

  func finish(as name: String) async throws(ServerError) -> WholeFile {
    let (folder, target) = (try folders.folder(of: name), try folders.path(of: name))
    let whole = try await disk.run { () throws(ServerError) in
      try self.change { (state) throws(ServerError) in
        let file = try Self.open(state)
        file.setModified(self.now())
        try file.flush()
        try Disk.makeFolder(folder)
        try Disk.rename(self.path, to: target)
        state.file = nil
        return WholeFile(checksum: Array(state.hash.finalize()), size: state.received)
      }
    }
    onEnd(self)
    return whole
  }

  func close() async {
    state.withLock { state in
      state.file?.setModified(now())
      state.file = nil
    }
    onEnd(self)
  }

  func discard() async {
    let isOurs = state.withLock { state in
      defer { state.file = nil }
      return state.file != nil
    }
    if isOurs { try? await disk.run { () throws(ServerError) in try Disk.remove(self.path) } }
    onEnd(self)
  }

  private static func open(_ state: State) throws(ServerError) -> DiskFile {
    guard let file = state.file else { throw ServerError(.conflict, Reason.assetUploadLost) }
    return file
  }

  /// NB: `Mutex.withLock` does not carry typed errors through every compiler; a result does.
  private func change<Value: Sendable>(
    _ body: (inout State) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let result = state.withLock { state -> Result<Value, ServerError> in
      do throws(ServerError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
