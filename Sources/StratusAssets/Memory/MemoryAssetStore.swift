import Crypto
public import StratusDomain
import StratusWire
import Synchronization

/// Keeps files in the memory of the process, for tests.
public final class MemoryAssetStore: AssetStore {
  struct Upload {
    /// The bytes, or nil if the upload has a note but no bytes.
    var bytes: [UInt8]?
    var touched: Int64
    var note: [UInt8]?
    /// The number of the upload's current owner, or nil if the upload is not open.
    var holder: Int?
  }

  struct File {
    var bytes: [UInt8]
    var finished: Int64
  }

  struct State {
    var uploads: [Key: Upload] = [:]
    var files: [Key: File] = [:]
    var lastHolder = 0
  }

  struct Key: Hashable {
    let address: StoreAddress
    let name: ExactName

    init(_ name: String, _ address: StoreAddress) {
      self.address = address
      self.name = ExactName(name)
    }
  }

  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  /// - Parameter now: returns the time in milliseconds since 1970 UTC.
  public init(now: @escaping @Sendable () -> Int64) { self.now = now }

  func withState<Value>(_ body: (inout State, _ now: Int64) -> Value) -> Value {
    let now = now()
    return state.withLock { body(&$0, now) }
  }

  public func open(
    upload id: String, at address: StoreAddress, fromNothing: Bool
  ) async throws(ServerError) -> any AssetUpload {
    let key = Key(id, address)
    let holder = withState { state, now in
      state.lastHolder += 1
      var upload = state.uploads[key] ?? Upload(touched: now)
      upload.bytes = fromNothing ? [] : upload.bytes ?? []
      upload.touched = now
      upload.holder = state.lastHolder
      state.uploads[key] = upload
      return state.lastHolder
    }
    return MemoryUpload(store: self, key: key, holder: holder)
  }

  public func status(
    ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) -> AssetUploadStatus {
    withState { state, _ in
      let upload = state.uploads[Key(id, address)]
      return AssetUploadStatus(
        received: Int64(upload?.bytes?.count ?? 0), touched: upload?.touched, note: upload?.note)
    }
  }

  public func note(
    _ bytes: [UInt8], ofUpload id: String, at address: StoreAddress
  ) async throws(ServerError) {
    withState { state, now in
      state.uploads[Key(id, address), default: Upload(touched: now)].note = bytes
      state.uploads[Key(id, address)]?.touched = now
    }
  }

  public func discardUploads(
    at address: StoreAddress, untouchedSince time: Int64
  ) async throws(ServerError) {
    withState { state, _ in
      state.uploads = state.uploads.filter { key, upload in
        key.address != address || upload.touched >= time || upload.holder != nil
      }
    }
  }

  public func open(
    file: String, at address: StoreAddress
  ) async throws(ServerError) -> (any AssetFile)? {
    withState { state, _ in
      state.files[Key(file, address)].map { MemoryFile(bytes: $0.bytes) }
    }
  }

  public func remove(file: String, at address: StoreAddress) async throws(ServerError) {
    withState { state, _ in state.files[Key(file, address)] = nil }
  }

  public func files(
    at address: StoreAddress, after name: String?, limit: Int
  ) async throws(ServerError) -> [AssetFileEntry] {
    withState { state, _ in
      let entries = state.files.compactMap { key, file in
        key.address == address
          ? AssetFileEntry(name: key.name.text, finished: file.finished) : nil
      }
      let sorted = entries.sorted { $0.name.isBefore($1.name) }
      let behind = sorted.drop { entry in name.map { !$0.isBefore(entry.name) } ?? false }
      return Array(behind.prefix(limit))
    }
  }
}

/// A complete file in memory.
private struct MemoryFile: AssetFile {
  let bytes: [UInt8]

  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws(ServerError) -> [UInt8] {
    Array(bytes.dropFirst(Int(offset)).prefix(count))
  }
}

extension String {
  fileprivate func isBefore(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
