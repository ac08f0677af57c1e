import StratusWire
import Synchronization

/// Limits the uploaded bytes that no record holds, for each user and for each store.
///
/// The register knows the finished files, and each process counts its own unfinished uploads. When
/// an upload begins or continues, the process reads the register again. It does not if, by its own
/// counts, more than half of the smaller limit is left. A restart loses the counts of unfinished
/// uploads. Users can then upload the same number of bytes again, although the old uploads remain
/// until ``SweepAssets`` removes them.
///
/// A client may leave many unfinished uploads behind, and each of them counts for a day after its
/// last bytes. So the sums are kept up to date. A note takes the same time for any number of
/// uploads. An admission does, too, except once a minute and when it reads the register.
final class UnheldBytes: Sendable {
  private struct Pending {
    let user: String
    let address: StoreAddress
    var received: Int64
    var touched: Int64
  }

  /// The bytes of a store, in total and by user.
  private struct Sums {
    var all: Int64 = 0
    var byUser: [String: Int64] = [:]

    mutating func add(_ bytes: Int64, of user: String) {
      all += bytes
      let sum = byUser[user, default: 0] + bytes
      byUser[user] = sum == 0 ? nil : sum
    }
  }

  private struct State {
    /// The unfinished uploads of this process, by upload ID.
    var pending: [String: Pending] = [:]
    /// The received bytes of ``pending``, by store.
    var unfinished: [StoreAddress: Sums] = [:]
    /// The bytes in finished files that no record holds, by store. The numbers are those last read
    /// from the register, plus the files finished since then.
    var finished: [StoreAddress: Sums] = [:]
    /// The time of the last search for uploads that were idle for too long.
    var searched: Int64 = .min / 2

    mutating func remove(_ id: String) {
      guard let upload = pending.removeValue(forKey: id) else { return }
      unfinished[upload.address]?.add(-upload.received, of: upload.user)
      if unfinished[upload.address]?.byUser.isEmpty == true { unfinished[upload.address] = nil }
    }

    mutating func set(_ upload: Pending, for id: String) {
      remove(id)
      pending[id] = upload
      unfinished[upload.address, default: Sums()].add(upload.received, of: upload.user)
    }
  }

  /// The time between two searches for uploads that were idle for too long. Choice: an upload
  /// counts for a day, so a minute more does not matter.
  private static let searchMilliseconds: Int64 = 60_000

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
    let byUser = try await store.read { (store) throws(ServerError) in
      try store.unheldBytes()
    }
    let finished = Sums(all: byUser.values.reduce(0, +), byUser: byUser)
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
      state.set(
        Pending(user: ticket.user, address: ticket.address, received: received, touched: now),
        for: ticket.id)
      return true
    }
    if !fits { throw Self.refusal }
  }

  /// Counts a completed upload as a finished file.
  func finish(_ ticket: UploadTicket, size: Int64) {
    state.withLock { state in
      state.remove(ticket.id)
      state.finished[ticket.address]?.add(size, of: ticket.user)
    }
  }

  /// The total number of bytes that this upload may have.
  ///
  /// NB: a ticket with the same ID always has the same user and the same store.
  private func budget(for ticket: UploadTicket, in state: State) -> Int64 {
    let finished = state.finished[ticket.address]
    let unfinished = state.unfinished[ticket.address]
    let own = state.pending[ticket.id]
    let ofStore = (finished?.all ?? 0) + (unfinished?.all ?? 0) - (own?.received ?? 0)
    var ofUser = (finished?.byUser[ticket.user] ?? 0) + (unfinished?.byUser[ticket.user] ?? 0)
    ofUser -= own?.received ?? 0
    return min(perUserMax - ofUser, perStoreMax - ofStore)
  }

  /// Stops counting uploads that were idle for so long that they cannot continue. ``SweepAssets``
  /// removes their bytes.
  private static func forgetOld(_ state: inout State, _ now: Int64) {
    // NB: the clock may have been set back since the last search.
    if abs(now - state.searched) < searchMilliseconds { return }
    state.searched = now
    let idle = state.pending.filter {
      now - $0.value.touched >= AssetUploads.lifetimeMilliseconds
    }
    for id in idle.keys { state.remove(id) }
  }

  private static let refusal = ServerError(.quotaExceeded, Reason.assetsUnheld)
}
