import Crypto
import Synchronization

/// The checksums of closed uploads. If an upload is resumed, its file need not be read again.
///
/// Only the latest entries are kept. For other uploads, the file is read again.
final class KeptChecksums: Sendable {
  struct Entry: Sendable {
    var hash: SHA256
    /// The number of bytes from which the checksum was computed.
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

  /// Returns and removes an entry. The caller may append bytes to the upload, and the entry would
  /// then be wrong.
  func take(_ path: String) -> Entry? {
    state.withLock { $0.entries.removeValue(forKey: path)?.entry }
  }
}
