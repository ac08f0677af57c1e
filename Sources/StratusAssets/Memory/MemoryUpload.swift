import Crypto
import StratusDomain
import StratusWire

/// An upload into memory. It is valid until another caller opens the same upload.
struct MemoryUpload: AssetUpload {
  let store: MemoryAssetStore
  let key: MemoryAssetStore.Key
  /// The number of this owner. If the store has another number for the upload, another caller has
  /// taken the upload over.
  let holder: Int

  var received: Int64 {
    store.withState { state, _ in Int64(state.uploads[key]?.bytes?.count ?? 0) }
  }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try held { state, now in
      state.uploads[key]?.bytes?.append(contentsOf: bytes)
      state.uploads[key]?.touched = now
    }
  }

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    try held { state, now in
      let bytes = state.uploads[key]?.bytes ?? []
      let file = MemoryAssetStore.Key(file, key.address)
      state.files[file] = MemoryAssetStore.File(bytes: bytes, finished: now)
      end(&state)
      return WholeFile(checksum: Array(SHA256.hash(data: bytes)), size: Int64(bytes.count))
    }
  }

  func close() async {
    store.withState { state, now in
      guard state.uploads[key]?.holder == holder else { return }
      state.uploads[key]?.touched = now
      state.uploads[key]?.holder = nil
    }
  }

  func discard() async {
    store.withState { state, _ in
      if state.uploads[key]?.holder == holder { end(&state) }
    }
  }

  /// Removes the bytes, but keeps the upload's note if there is one.
  private func end(_ state: inout MemoryAssetStore.State) {
    state.uploads[key]?.bytes = nil
    state.uploads[key]?.holder = nil
    if state.uploads[key]?.note == nil { state.uploads[key] = nil }
  }

  private func held<Value>(
    _ body: (inout MemoryAssetStore.State, _ now: Int64) -> Value
  ) throws(ServerError) -> Value {
    let value = store.withState { state, now -> Value? in
      state.uploads[key]?.holder == holder ? body(&state, now) : nil
    }
    guard let value else { throw ServerError(.conflict, Reason.assetUploadLost) }
    return value
  }
}
