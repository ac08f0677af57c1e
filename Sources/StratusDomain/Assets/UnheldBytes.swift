import StratusWire
import Synchronization

/// Limits the uploaded bytes that no record holds, for each user and for each store.
///
/// The register knows the finished files, and each process counts its own unfinished uploads. When
/// an upload begins or continues, the process reads the register again. It does not if, by its own
/// counts, more than half of the smaller limit is left. A restart loses the counts of unfinished
/// uploads. Users can then upload the same number of bytes again, although the old uploads remain
/// until ``SweepAssets`` removes them.
final class UnheldBytes: Sendable {
  private struct Pending {
    let user: String
    let address: StoreAddress
    var received: Int64
    var touched: Int64
  }

  private struct State {
    /// The unfinished uploads of this process, by upload ID.
    var pending: [String: Pending] = [:]
    /// The number of bytes in finished files that no record holds, by store and user. The numbers
    /// are those last read from the register, plus the files finished since then.
    var finished: [StoreAddress: [String: Int64]] = [:]
  }

  private let perUserMax: Int64
  private let perStoreMax: Int64
  private let state = Mutex(State())

  /// - Parameters:
  ///   - perUserMax: see ``LimitSettings/unheldBytesPerUserMax``.
  ///   - perStoreMax: see ``LimitSettings/unheldBytesPerStoreMax``.
  init(perUserMax: Int64, perStoreMax: Int64) {
    self.perUserMax = perUserMax
    self.perStoreMax = perStoreMax
  }

  /// Admits the start or the continuation of an upload.
  ///
  /// - Throws: `QUOTA_EXCEEDED` if the user or the store has no capacity left.
  func admit(
    _ ticket: UploadTicket, store: any Store, now: Int64
  ) async throws(ServerError) {
    let isKnown = state.withLock { state in
      Self.forgetOld(&state, now)
      return state.finished[ticket.address] != nil
        && budget(for: ticket, in: state) > min(perUserMax, perStoreMax) / 2
    }
    if isKnown { return }
    // NB: the count must be read again, because records may have used some of the bytes since the
    // count was last read.
    let finished = try await store.read { (store) throws(ServerError) in
      try store.unheldBytes()
    }
    let hasRoom = state.withLock { state in
      state.finished[ticket.address] = finished
      return budget(for: ticket, in: state) > 0
    }
    if !hasRoom { throw Self.refusal }
  }

  /// Stores the number of bytes that an upload has received.
  ///
  /// - Throws: `QUOTA_EXCEEDED` if the upload then has more bytes than the limits of the user and
  ///   the store allow.
  func note(_ received: Int64, of ticket: UploadTicket, now: Int64) throws(ServerError) {
    let fits = state.withLock { state in
      if received > budget(for: ticket, in: state) { return false }
      state.pending[ticket.id] = Pending(
        user: ticket.user, address: ticket.address, received: received, touched: now)
      return true
    }
    if !fits { throw Self.refusal }
  }

  /// Counts a completed upload as a finished file.
  func finish(_ ticket: UploadTicket, size: Int64) {
    state.withLock { state in
      state.pending[ticket.id] = nil
      state.finished[ticket.address]?[ticket.user, default: 0] += size
    }
  }

  /// The total number of bytes that this upload may have.
  private func budget(for ticket: UploadTicket, in state: State) -> Int64 {
    let finished = state.finished[ticket.address] ?? [:]
    var ofUser = finished[ticket.user] ?? 0
    var ofStore = finished.values.reduce(0, +)
    for (id, upload) in state.pending where id != ticket.id && upload.address == ticket.address {
      ofStore += upload.received
      if upload.user == ticket.user { ofUser += upload.received }
    }
    return min(perUserMax - ofUser, perStoreMax - ofStore)
  }

  /// Stops counting uploads that were idle for so long that they cannot continue. ``SweepAssets``
  /// removes their bytes.
  private static func forgetOld(_ state: inout State, _ now: Int64) {
    if state.pending.isEmpty { return }
    state.pending = state.pending.filter {
      now - $0.value.touched < AssetUploads.lifetimeMilliseconds
    }
  }

  private static let refusal = ServerError(.quotaExceeded, Reason.assetsUnheld)
}
