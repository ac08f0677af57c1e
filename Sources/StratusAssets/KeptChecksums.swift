import Crypto
import Synchronization

/// The checksums of uploads that were closed, so that one that goes on need not be read again.
///
/// Only the latest are kept; who finds none reads the file.
final class KeptChecksums: Sendable {
  struct Entry: Sendable {
    var hash: SHA256
    /// Bytes the checksum is of.
    var received: Int64
  }

  private struct State {
    var entries: [String: (entry: Entry, age: UInt64)] = [:]
    var age: UInt64 = 0
  }

  private static let entriesMax = 256

  private let state = Mutex(State())

  func keep(_ entry: Entry, of path: String) {
    state.withLock { state in
      state.age += 1
      state.entries[path] = (entry, state.age)
      guard state.entries.count > Self.entriesMax else { return }
      let oldest = state.entries.min { $0.value.age < $1.value.age }
      if let oldest { state.entries[oldest.key] = nil }
    }
  }

  /// Hands out an entry and forgets it: whoever has the upload open changes its bytes.
  func take(_ path: String) -> Entry? {
    state.withLock { $0.entries.removeValue(forKey: path)?.entry }
  }
}
