import Crypto
import StratusDomain
import StratusWire
import Synchronization

/// One owner of an upload into S3. Each opening of an upload creates a new owner, which takes the
/// upload over from the previous one.
///
/// Two processes may open the same upload. A process that continues the parts of another process
/// computes the checksum from the joined object. To join the parts, a process sends the tags of the
/// parts that it knows, so S3 refuses a part that another process has replaced. The stored state
/// names its writer. An owner that finds another writer in the state throws `CONFLICT`.
final class S3Upload: AssetUpload {
  private struct State {
    /// The bytes and parts of the upload. It is nil before the upload begins, after it ends, and
    /// after a later owner has taken it over.
    var carried: S3Carried?
    var received: Int64 = 0
    /// Whether a later owner has taken the upload over.
    var isLost = false
    /// The previous owner of the upload, until it has been marked as taken over.
    var previous: S3Upload?
  }

  let stateKey: String
  private let id: String
  private let keys: S3Keys
  private let bucket: S3Bucket
  private let partBytes: Int
  private let memory: S3Memory
  private let checksums: KeptChecksums
  /// Returns a random name.
  private let makeName: @Sendable () -> String
  private let onEnd: @Sendable (S3Upload) -> Void
  private let state: Mutex<State>

  init(
    id: String, keys: S3Keys, stateKey: String, bucket: S3Bucket, partBytes: Int,
    memory: S3Memory, checksums: KeptChecksums, makeName: @escaping @Sendable () -> String,
    after previous: S3Upload?,
    onEnd: @escaping @Sendable (S3Upload) -> Void
  ) {
    self.id = id
    self.keys = keys
    self.stateKey = stateKey
    self.bucket = bucket
    self.partBytes = partBytes
    self.memory = memory
    self.checksums = checksums
    self.makeName = makeName
    self.onEnd = onEnd
    state = Mutex(State(previous: previous))
  }

  var received: Int64 { state.withLock(\.received) }

  // The beginning

  /// Takes the upload over from its previous owner, or loads its stored state.
  ///
  /// - Throws: `CONFLICT` if a later owner has taken the upload over.
  func begin(fromNothing: Bool) async throws(ServerError) {
    do throws(ServerError) {
      let carried = try await firstState(fromNothing: fromNothing)
      let isLost = state.withLock { state in
        if state.isLost { return true }
        state.received = carried.received
        state.carried = carried
        return false
      }
      if isLost {
        memory.give(carried.buffer.count)
        throw Self.lost
      }
    } catch {
      onEnd(self)
      throw error
    }
  }

  private func firstState(fromNothing: Bool) async throws(ServerError) -> S3Carried {
    let previous = state.withLock { state in
      defer { state.previous = nil }
      return state.previous
    }
    let inherited = previous?.lose()
    if fromNothing {
      if let inherited {
        memory.give(inherited.buffer.count)
        await remove(inherited)
      } else if let stored = try await S3UploadState.head(stateKey, in: bucket)?.state {
        await remove(
          S3Carried(writer: stored.writer, multipart: stored.multipart, isStored: true))
      }
      return S3Carried(writer: makeName())
    }
    if let inherited { return inherited }
    return try await loaded() ?? S3Carried(writer: makeName())
  }

  /// Marks the upload as taken over by a later owner.
  ///
  /// - Returns: the bytes and parts that the later owner continues with, or nil if neither this
  ///   owner nor an earlier one has any.
  private func lose() -> S3Carried? {
    let (carried, previous) = state.withLock { state in
      defer { (state.carried, state.previous) = (nil, nil) }
      state.isLost = true
      return (state.carried, state.previous)
    }
    let earlier = previous?.lose()
    return carried ?? earlier
  }

  private func loaded() async throws(ServerError) -> S3Carried? {
    let bytesMax = S3UploadState.headBytesMax + 2 * partBytes
    guard let got = try await bucket.get(stateKey, at: 0, count: bytesMax),
      let (stored, start) = S3UploadState.read(got.bytes)
    else { return nil }
    guard got.bytes.count - start == stored.tailBytes, memory.take(stored.tailBytes) else {
      throw Self.busy
    }
    var carried = S3Carried(
      writer: stored.writer, multipart: stored.multipart, parts: stored.parts,
      buffer: Array(got.bytes[start...]), received: stored.received, isStored: true)
    let kept = checksums.take(stateKey + stored.writer)
    if let kept, kept.received == stored.received {
      // This process has stored the state, so it stays the writer.
      carried.hash = kept.hash
      return carried
    }
    carried.hash = stored.parts.isEmpty ? SHA256() : nil
    carried.hash?.update(data: carried.buffer)
    carried.writer = makeName()
    do throws(ServerError) { try await write(carried, tail: carried.buffer) } catch {
      memory.give(carried.buffer.count)
      throw error
    }
    return carried
  }

  // Bytes

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try held { (carried, received) throws(ServerError) in
      guard memory.take(bytes.count) else { throw Self.busy }
      carried.hash?.update(data: bytes)
      carried.buffer += bytes
      carried.received += Int64(bytes.count)
      received = carried.received
    }
    while let part = try fullPart() { try await store(part) }
  }

  private func fullPart() throws(ServerError) -> [UInt8]? {
    try held { (carried, _) throws(ServerError) in
      carried.buffer.count < partBytes ? nil : Array(carried.buffer.prefix(partBytes))
    }
  }

  private func store(_ bytes: [UInt8]) async throws(ServerError) {
    let multipart = try await multipart()
    let number = try held { (carried, _) throws(ServerError) in carried.parts.count + 1 }
    let part: S3Bucket.Part
    do throws(ServerError) {
      part = try await bucket.put(bytes, asPart: number, of: multipart.id, multipart.key)
    } catch {
      // Without its multipart upload, the stored state is useless.
      if error.code == .conflict { await discard() }
      throw error
    }
    let carried = try held { (carried, _) throws(ServerError) in
      carried.parts.append(part)
      carried.buffer.removeFirst(bytes.count)
      memory.give(bytes.count)
      return carried
    }
    try await save(carried, tail: [])
  }

  private func multipart() async throws(ServerError) -> S3UploadState.Multipart {
    let known = try held { (carried, _) throws(ServerError) in carried.multipart }
    if let known { return known }
    let key = try keys.parts(ofUpload: id, random: makeName())
    let new = S3UploadState.Multipart(key: key, id: try await bucket.begin(key))
    try held { (carried, _) throws(ServerError) in carried.multipart = new }
    return new
  }

  // The stored state

  /// Stores the state, unless another process has taken the upload over.
  private func save(_ carried: S3Carried, tail: [UInt8]) async throws(ServerError) {
    try await requireWriter(carried)
    try await write(carried, tail: tail)
    state.withLock { $0.carried?.isStored = true }
  }

  private func write(_ carried: S3Carried, tail: [UInt8]) async throws(ServerError) {
    let state = S3UploadState(
      writer: carried.writer, multipart: carried.multipart, parts: carried.parts)
    try await bucket.put(stateKey, state.bytes(tail: tail))
  }

  /// - Throws: `CONFLICT` if another process has stored or removed the state.
  private func requireWriter(_ carried: S3Carried) async throws(ServerError) {
    let writer = try await S3UploadState.head(stateKey, in: bucket)?.state.writer
    guard writer == (carried.isStored ? carried.writer : nil) else { throw Self.lost }
  }

  /// Removes the multipart upload and the stored state.
  ///
  /// NB: if a request fails, the sweep of old uploads removes what is left.
  private func remove(_ carried: S3Carried) async {
    if let multipart = carried.multipart {
      try? await bucket.abort(multipart.id, multipart.key)
    }
    if carried.isStored { try? await bucket.delete(stateKey) }
  }

  // The end

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    let key = try keys.file(file)
    let carried = try held { (carried, _) throws(ServerError) in carried }
    if carried.isStored { try await requireWriter(carried) }
    let checksum: [UInt8]
    if let multipart = carried.multipart {
      checksum = try await join(carried, multipart, as: key)
    } else {
      try await bucket.put(key, carried.buffer)
      checksum = Array((carried.hash ?? SHA256()).finalize())
    }
    if carried.isStored { try? await bucket.delete(stateKey) }
    end()
    return WholeFile(checksum: checksum, size: carried.received)
  }

  /// Joins the parts, and copies the object to the file's name.
  private func join(
    _ carried: S3Carried, _ multipart: S3UploadState.Multipart, as key: String
  ) async throws(ServerError) -> [UInt8] {
    let isCertain = try await isJoined(carried, multipart)
    var checksum = carried.hash.map { Array($0.finalize()) }
    if !isCertain || checksum == nil {
      let read = try await self.checksum(ofKey: multipart.key, size: carried.received)
      if let checksum, checksum != read { throw Self.lost }
      checksum = read
    }
    try await bucket.copy(multipart.key, to: key, size: carried.received)
    try? await bucket.delete(multipart.key)
    return checksum ?? []
  }

  /// Stores the last part, and joins all parts.
  ///
  /// - Returns: false if the multipart upload does not exist any more. Perhaps an earlier call has
  ///   joined the parts, and S3 then failed to copy the object.
  private func isJoined(
    _ carried: S3Carried, _ multipart: S3UploadState.Multipart
  ) async throws(ServerError) -> Bool {
    var parts = carried.parts
    if !carried.buffer.isEmpty {
      do throws(ServerError) {
        parts.append(
          try await bucket.put(
            carried.buffer, asPart: parts.count + 1, of: multipart.id, multipart.key))
      } catch {
        if error.code == .conflict { return false }
        throw error
      }
    }
    return try await bucket.join(parts, of: multipart.id, multipart.key)
  }

  /// Reads the bytes of an object, and returns their checksum.
  ///
  /// - Throws: `CONFLICT` if the object does not exist or has another size.
  private func checksum(ofKey key: String, size: Int64) async throws(ServerError) -> [UInt8] {
    var hash = SHA256()
    var offset: Int64 = 0
    while offset < size {
      guard let got = try await bucket.get(key, at: offset, count: partBytes), got.size == size,
        !got.bytes.isEmpty
      else { throw Self.lost }
      hash.update(data: got.bytes)
      offset += Int64(got.bytes.count)
    }
    return Array(hash.finalize())
  }

  func close() async {
    if let carried = state.withLock(\.carried), carried.received > 0 || carried.isStored {
      // NB: the task of a client that has disconnected is cancelled. The bytes are stored anyway.
      let isSaved = await Task {
        do throws(ServerError) {
          try await save(carried, tail: carried.buffer)
          return true
        } catch { return false }
      }.value
      if isSaved, let hash = carried.hash {
        checksums.keep(
          .init(hash: hash, received: carried.received), of: stateKey + carried.writer)
      }
    }
    end()
  }

  func discard() async {
    if let carried = state.withLock(\.carried) {
      await Task { await remove(carried) }.value
    }
    end()
  }

  /// Drops the bytes in memory.
  private func end() {
    let waiting = state.withLock { state in
      defer { state.carried = nil }
      return state.carried?.buffer.count ?? 0
    }
    memory.give(waiting)
    onEnd(self)
  }

  private static let lost = ServerError(.conflict, Reason.assetUploadLost)
  private static let busy = ServerError(
    .tryAgainLater, Reason.assetStoreBusy, retryAfterSeconds: 5)

  /// Runs `body` with the upload's bytes and parts, under the lock.
  ///
  /// - Throws: `CONFLICT` if the upload has ended, or a later owner has taken it over.
  private func held<Value: Sendable>(
    _ body: (inout S3Carried, _ received: inout Int64) throws(ServerError) -> Value
  ) throws(ServerError) -> Value {
    let result = state.withLock { state -> Result<Value, ServerError> in
      guard var carried = state.carried else { return .failure(Self.lost) }
      // NB: only one variable may hold the array of bytes, or each change would copy the array.
      state.carried = nil
      defer { state.carried = carried }
      do throws(ServerError) { return .success(try body(&carried, &state.received)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
