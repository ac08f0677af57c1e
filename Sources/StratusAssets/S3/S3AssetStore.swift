import Crypto
public import StratusDomain
import StratusWire
import Synchronization

/// Keeps files in S3-compatible storage, so that several servers can use the same files.
///
/// The bytes of an upload are kept in memory until they fill a part, or until the upload is closed
/// or complete. One request stores a small file. A larger file becomes a multipart upload. S3 needs
/// the name of the object when a multipart upload begins, but the name of the file is known only in
/// `finish`. Therefore S3 joins the parts in a temporary object, and then copies this object to the
/// file's name.
public final class S3AssetStore: AssetStore {
  /// The size of a part. S3 requires parts of at least 5 MiB, and allows an object to have at most
  /// 10,000 parts.
  public static let partBytes = 8_388_608
  /// The maximum number of bytes that all uploads together keep in memory.
  public static let waitingBytesMax = 268_435_456
  private static let noteBytesMax = 1_024
  /// The number of bytes that are read from the beginning of a file when it is opened.
  private static let firstBytes = 262_144

  private let bucket: S3Bucket
  private let now: @Sendable () -> Int64
  private let makeName: @Sendable () -> String
  private let partBytes: Int
  private let memory: S3Memory
  private let checksums = KeptChecksums()
  /// The open uploads of this process, by the key of their state.
  private let openUploads = Mutex<[String: S3Upload]>([:])

  /// - Parameters:
  ///   - now: returns the time in milliseconds since 1970 UTC.
  ///   - makeName: returns a name of letters, digits and hyphens that is never used again.
  ///   - partBytes: the size of a part. Only tests use another size.
  ///   - waitingBytesMax: the maximum number of bytes that all uploads together keep in memory.
  public init(
    client: S3Client, now: @escaping @Sendable () -> Int64,
    makeName: @escaping @Sendable () -> String,
    partBytes: Int = S3AssetStore.partBytes,
    waitingBytesMax: Int = S3AssetStore.waitingBytesMax
  ) {
    bucket = S3Bucket(client: client)
    self.now = now
    self.makeName = makeName
    self.partBytes = partBytes
    memory = S3Memory(bytesMax: waitingBytesMax)
  }

  private func keys(_ address: StoreAddress) throws(ServerError) -> S3Keys {
    try S3Keys(bucket.client.location, address)
  }

  /// Stores, lists and removes one small object, so that the server notices missing rights when it
  /// starts.
  ///
  /// - Throws: the errors of S3.
  public func check() async throws(ServerError) {
    let key = bucket.client.location.key("stratus-check")
    try await bucket.put(key, Array("Stratus can write here.".utf8))
    _ = try await bucket.list(prefix: key, after: nil, limit: 1)
    try await bucket.delete(key)
  }

  /// Finds out whether S3 can be reached.
  ///
  /// - Parameter timeoutSeconds: the maximum time of each of the two attempts. The default is 5.
  /// - Throws: the errors of S3.
  public func requireAnswer(timeoutSeconds: Int64 = 5) async throws(ServerError) {
    try await bucket.requireAnswer(
      prefix: bucket.client.location.key("stratus-check"), timeoutSeconds: timeoutSeconds)
  }

  public func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    let keys = try keys(address)
    let stateKey = try keys.state(ofUpload: id)
    let upload = openUploads.withLock { open in
      let upload = S3Upload(
        id: id, keys: keys, stateKey: stateKey, bucket: bucket, partBytes: partBytes,
        memory: memory, checksums: checksums, makeName: makeName, after: open[stateKey],
        onEnd: { [weak self] in self?.forget($0) })
      open[stateKey] = upload
      return upload
    }
    try await upload.begin(fromNothing: fromNothing)
    return upload
  }

  private func forget(_ upload: S3Upload) {
    openUploads.withLock { open in
      if open[upload.stateKey] === upload { open[upload.stateKey] = nil }
    }
  }

  private func isOpen(_ id: String, _ keys: S3Keys) -> Bool {
    guard let key = try? keys.state(ofUpload: id) else { return false }
    return openUploads.withLock { $0[key] != nil }
  }

  public func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus {
    let keys = try keys(address)
    let (stateKey, noteKey) = (try keys.state(ofUpload: id), try keys.note(ofUpload: id))
    let note = try await bucket.get(noteKey, at: 0, count: Self.noteBytesMax)
    if let open = openUploads.withLock({ $0[stateKey] }) {
      return AssetUploadStatus(received: open.received, touched: now(), note: note?.bytes)
    }
    let state = try await S3UploadState.head(stateKey, in: bucket)
    let times = [note?.modified, state?.modified].compactMap { $0 }
    return AssetUploadStatus(
      received: state?.state.received ?? 0, touched: times.max(), note: note?.bytes)
  }

  public func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {
    try await bucket.put(try keys(address).note(ofUpload: id), bytes)
  }

  public func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {
    let keys = try keys(address)
    var recent: Set<String> = []
    var last: String?
    repeat {
      let page = try await bucket.list(
        prefix: keys.uploads, after: last, limit: S3Bucket.pageMax)
      for entry in page {
        let id = keys.upload(ofKey: entry.key)
        let isState = entry.key.hasSuffix(S3Keys.stateSuffix)
        guard entry.modified < time, !isOpen(id, keys) else {
          if isState { recent.insert(id) }
          continue
        }
        if isState, let state = try await S3UploadState.head(entry.key, in: bucket)?.state,
          let multipart = state.multipart
        {
          try await bucket.abort(multipart.id, multipart.key)
        }
        try await bucket.delete(entry.key)
      }
      last = page.count == S3Bucket.pageMax ? page.last?.key : nil
    } while last != nil
    try await abortUnfinished(keys, before: time, except: recent)
  }

  /// Removes old multipart uploads whose state was never stored or no longer exists, for example
  /// after a crash.
  private func abortUnfinished(
    _ keys: S3Keys, before time: Int64, except recent: Set<String>
  ) async throws(ServerError) {
    var last: S3Bucket.Unfinished?
    repeat {
      let page = try await bucket.unfinished(prefix: keys.root, after: last)
      for upload in page where upload.began < time {
        let id = upload.key.hasPrefix(keys.uploads) ? keys.upload(ofKey: upload.key) : nil
        if let id, recent.contains(id) || isOpen(id, keys) { continue }
        try await bucket.abort(upload.id, upload.key)
      }
      last = page.count == S3Bucket.pageMax ? page.last : nil
    } while last != nil
  }

  public func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? {
    let key = try keys(address).file(file)
    guard let first = try await bucket.get(key, at: 0, count: Self.firstBytes) else { return nil }
    return S3File(bucket: bucket, key: key, size: first.size, first: first.bytes)
  }

  public func remove(file: String, at address: StoreAddress) async throws(ServerError) {
    try await bucket.delete(try keys(address).file(file))
  }

  public func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] {
    let files = try keys(address).files
    var entries: [AssetFileEntry] = []
    var last = name
    while entries.count < limit {
      let wanted = min(limit - entries.count, S3Bucket.pageMax)
      let page = try await bucket.list(prefix: files, after: last.map { files + $0 }, limit: wanted)
      entries += page.map {
        AssetFileEntry(name: String($0.key.dropFirst(files.count)), finished: $0.modified)
      }
      guard page.count == wanted else { break }
      last = entries.last?.name
    }
    return entries
  }
}

extension S3AssetStore {
  public var ownerMark: (any AssetOwnerMark)? { S3OwnerMark(bucket: bucket) }
}

extension S3AssetStore: DirectDownloads {
  public var directDownloads: (any DirectDownloads)? {
    guard bucket.client.location.presignsDownloads else { return nil }
    return self
  }

  /// NB: S3 sends no `nosniff` and no content security policy. The content type and `attachment`
  /// prevent browsers from showing the bytes as a page of the storage.
  public func downloadURL(
    ofFile file: String, at address: StoreAddress, from start: Int64, until end: Int64
  ) -> String? {
    guard let key = try? keys(address).file(file) else { return nil }
    return bucket.client.presignedURL(
      ofKey: key,
      query: [
        (name: "response-cache-control", value: "private, max-age=3600, immutable"),
        (name: "response-content-disposition", value: "attachment"),
        (name: "response-content-type", value: "application/octet-stream"),
      ], from: start, seconds: (end - start) / 1_000)
  }
}

extension S3UploadState {
  /// Returns the state of an upload, or nil if there is none. The object in S3 has further bytes
  /// after the state, which are not read.
  static func head(
    _ key: String, in bucket: S3Bucket
  ) async throws(ServerError) -> (state: S3UploadState, modified: Int64?)? {
    guard let got = try await bucket.get(key, at: 0, count: headBytesMax) else { return nil }
    return read(got.bytes).map { ($0.state, got.modified) }
  }
}

/// A complete file in S3. The bytes at its beginning are in memory. The other bytes are read when a
/// client needs them, so an open file whose object is removed cannot be read to its end.
final class S3File: AssetFile {
  private struct Window {
    var offset: Int64
    var bytes: [UInt8]
  }

  /// The maximum number of bytes that are read ahead.
  private static let windowBytesMax = 1_048_576

  let size: Int64
  private let bucket: S3Bucket
  private let key: String
  private let window: Mutex<Window>

  init(bucket: S3Bucket, key: String, size: Int64, first: [UInt8]) {
    self.bucket = bucket
    self.key = key
    self.size = size
    window = Mutex(Window(offset: 0, bytes: first))
  }

  func read(at offset: Int64, count: Int) async throws(ServerError) -> [UInt8] {
    guard (0..<size).contains(offset), count > 0 else { return [] }
    let needed = Int(min(Int64(count), size - offset))
    let (known, lastCount) = window.withLock { window -> ([UInt8]?, Int) in
      let start = offset - window.offset
      guard start >= 0, start + Int64(needed) <= Int64(window.bytes.count) else {
        return (nil, window.bytes.count)
      }
      return (Array(window.bytes[Int(start)..<(Int(start) + needed)]), window.bytes.count)
    }
    if let known { return known }
    let ahead = min(2 * lastCount, Self.windowBytesMax)
    let wanted = max(needed, Int(min(Int64(ahead), size - offset)))
    guard let got = try await bucket.get(key, at: offset, count: wanted) else {
      throw ServerError(.notFound, Reason.assetNotFound)
    }
    guard got.size == size, got.bytes.count == wanted else {
      throw .fault("S3 sent another part of a file than the requested one")
    }
    window.withLock { $0 = Window(offset: offset, bytes: got.bytes) }
    return Array(got.bytes.prefix(needed))
  }
}
