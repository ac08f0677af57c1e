import Crypto
import Foundation
import StratusDomain
import StratusWire
import Synchronization

/// One owner of an upload into a folder. Each opening of an upload creates a new owner, which takes
/// the upload over from the previous one. The checksum is computed while the bytes arrive.
final class FolderUpload: AssetUpload {
  private struct State {
    /// The open file. It is nil before the upload begins, after the upload ends, and after a later
    /// opening of the same upload has taken the upload over.
    var file: DiskFile?
    var hash = SHA256()
    var received: Int64 = 0
    /// The number of bytes that had arrived when the last background flush started, or when the
    /// upload was opened.
    var flushed: Int64 = 0
    var isFlushing = false
    /// The number of bytes that the system has begun to write to the disk.
    var begun: Int64 = 0
    /// Whether a later owner has taken the upload over.
    var isLost = false
    /// The previous owner of the upload, until it has been marked as taken over.
    var previous: FolderUpload?
  }

  /// The number of bytes of each read when an upload is resumed.
  private static let pieceBytes = 262_144
  /// The number of bytes after which a background flush starts. The end of a large upload then
  /// waits only for the last part, and unwritten bytes do not fill the memory.
  private static let flushBytes: Int64 = 16_777_216
  /// The number of bytes after which the system begins to write them to the disk. Otherwise the
  /// flush at the end would write all of them at once, and commits of stores would wait for it.
  private static let writtenTogetherBytes: Int64 = 1_048_576

  let path: String
  private let folders: AssetFolders
  private let disk: Disk
  private let checksums: KeptChecksums
  private let now: @Sendable () -> Int64
  private let onEnd: @Sendable (FolderUpload) -> Void
  private let state: Mutex<State>

  /// - Parameter previous: the owner from which ``begin(fromNothing:)`` takes the upload over.
  init(
    path: String, folders: AssetFolders, disk: Disk, checksums: KeptChecksums,
    after previous: FolderUpload?, now: @escaping @Sendable () -> Int64,
    onEnd: @escaping @Sendable (FolderUpload) -> Void
  ) {
    state = Mutex(State(previous: previous))
    self.checksums = checksums
    self.path = path
    self.folders = folders
    self.disk = disk
    self.now = now
    self.onEnd = onEnd
  }

  var received: Int64 { state.withLock(\.received) }

  /// Takes the upload over from its previous owner, opens the file, and computes the checksum of
  /// its bytes.
  ///
  /// - Throws: `CONFLICT` if a later owner has taken the upload over; `INTERNAL_ERROR` if the disk
  ///   fails.
  func begin(fromNothing: Bool) throws(ServerError) {
    do throws(ServerError) {
      try change { (state) throws(ServerError) in
        Self.takeFromPrevious(&state)
        if state.isLost { throw ServerError(.conflict, Reason.assetUploadLost) }
        try disk.makeFolder(folders.uploads)
        let flags = O_RDWR | O_CREAT | (fromNothing ? O_TRUNC : 0)
        guard let file = try DiskFile(path, flags) else { throw Disk.failure("open") }
        let size = Int64(try file.status().st_size)
        if let kept = checksums.take(path), kept.received == size {
          (state.hash, state.received) = (kept.hash, kept.received)
        } else {
          try Self.read(file, &state)
        }
        (state.flushed, state.begun) = (state.received, state.received)
        state.file = file
      }
    } catch {
      onEnd(self)
      throw error
    }
  }

  private static func read(_ file: DiskFile, _ state: inout State) throws(ServerError) {
    var bytes: [UInt8]
    repeat {
      bytes = try file.read(at: state.received, count: pieceBytes)
      state.hash.update(data: bytes)
      state.received += Int64(bytes.count)
    } while bytes.count == pieceBytes
  }

  /// Marks the upload as taken over by a later owner.
  ///
  /// NB: after this call, an owner that has not begun yet never begins. The previous owner would
  /// then never lose the upload, so this call marks the previous owner as well. Locks are taken
  /// from the latest owner to the earliest, so no deadlock is possible.
  private func lose() {
    state.withLock { state in
      Self.takeFromPrevious(&state)
      state.isLost = true
      leave(&state)
    }
  }

  private static func takeFromPrevious(_ state: inout State) {
    state.previous?.lose()
    state.previous = nil
  }

  /// Closes the file, and keeps its bytes on disk. After a failed flush, the bytes are removed,
  /// because no later flush would report that failure again.
  private func leave(_ state: inout State) {
    guard let file = state.file else { return }
    state.file = nil
    if file.awaitedFlushFailure() == nil {
      checksums.keep(.init(hash: state.hash, received: state.received), of: path)
    } else {
      try? Disk.remove(path)
    }
  }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try await disk.runQuietly { () throws(ServerError) in
      try self.change { (state) throws(ServerError) in
        let file = try Self.open(state)
        if let failure = file.knownFlushFailure { throw failure }
        do throws(ServerError) { try file.write(bytes, at: state.received) } catch {
          try? file.truncate(to: state.received)
          throw error
        }
        state.hash.update(data: bytes)
        state.received += Int64(bytes.count)
        if state.received - state.begun >= Self.writtenTogetherBytes {
          file.writeSoon(from: state.begun, count: state.received - state.begun)
          state.begun = state.received
        }
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
    let whole = try await disk.runQuietly { () throws(ServerError) in
      try self.change { (state) throws(ServerError) in
        let file = try Self.open(state)
        file.setModified(self.now())
        try file.flush()
        try self.disk.makeFolder(folder)
        try Disk.rename(self.path, to: target)
        state.file = nil
        return WholeFile(checksum: Array(state.hash.finalize()), size: state.received)
      }
    }
    onEnd(self)
    return whole
  }

  func close() async {
    try? await disk.run { () throws(ServerError) in
      self.state.withLock { state in
        state.file?.setModified(self.now())
        self.leave(&state)
      }
    }
    onEnd(self)
  }

  func discard() async {
    // NB: the file is removed under the lock. Otherwise, another request could open the upload
    // before the removal.
    try? await disk.run { () throws(ServerError) in
      try self.change { (state) throws(ServerError) in
        guard state.file != nil else { return }
        state.file = nil
        try Disk.remove(self.path)
      }
    }
    onEnd(self)
  }

  private static func open(_ state: State) throws(ServerError) -> DiskFile {
    guard let file = state.file else { throw ServerError(.conflict, Reason.assetUploadLost) }
    return file
  }

  /// Runs `body` with the state, under the lock.
  ///
  /// NB: not every compiler propagates typed errors through `Mutex.withLock`, so this function uses
  /// a `Result`.
  private func change<Value: Sendable>(
    _ body: (inout State) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let result = state.withLock { state -> Result<Value, ServerError> in
      do throws(ServerError) { return .success(try body(&state)) } catch { return .failure(error) }
    }
    return try result.get()
  }
}
