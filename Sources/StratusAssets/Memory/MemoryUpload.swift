import Crypto
import StratusDomain
import StratusWire

/// An upload into memory. It is valid until another caller opens the same upload.
struct MemoryUpload: AssetUpload {
  let store: MemoryAssetStore
  let place: MemoryAssetStore.Place
  /// The owner's number. A different number in the store means that this upload was taken over.
  let holder: Int

  var received: Int64 {
    store.withState { state, _ in Int64(state.uploads[place]?.bytes?.count ?? 0) }
  }

  func append(_ bytes: [UInt8]) async throws(ServerError) {
    try held { state, now in
      state.uploads[place]?.bytes?.append(contentsOf: bytes)
      state.uploads[place]?.touched = now
    }
  }

  func finish(as file: String) async throws(ServerError) -> WholeFile {
    try held { state, now in
      let bytes = state.uploads[place]?.bytes ?? []
      let file = MemoryAssetStore.Place(file, place.address)
      state.files[file] = MemoryAssetStore.File(bytes: bytes, finished: now)
      end(&state)
      return WholeFile(checksum: Array(SHA256.hash(data: bytes)), size: Int64(bytes.count))
    }
  }

  func close() async {
    store.withState { state, now in
      guard state.uploads[place]?.holder == holder else { return }
      state.uploads[place]?.touched = now
      state.uploads[place]?.holder = nil
    }
  }

  func discard() async {
    store.withState { state, _ in
      if state.uploads[place]?.holder == holder { end(&state) }
    }
  }

  /// Removes the bytes, and keeps a note.
  private func end(_ state: inout MemoryAssetStore.State) {
    state.uploads[place]?.bytes = nil
    state.uploads[place]?.holder = nil
    if state.uploads[place]?.note == nil { state.uploads[place] = nil }
  }

  private func held<Value>(
    _ body: (inout MemoryAssetStore.State, _ now: Int64) -> Value
  ) throws(ServerError) -> Value {
    let value = store.withState { state, now -> Value? in
      state.uploads[place]?.holder == holder ? body(&state, now) : nil
    }
    guard let value else { throw ServerError(.conflict, Reason.assetUploadLost) }
    return value
  }
}
