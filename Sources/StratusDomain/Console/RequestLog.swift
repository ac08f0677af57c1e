public import StratusWire
import Synchronization

/// Keeps the newest requests of apps, without their contents.
///
/// The newest entries are in memory. If the log has an archive, ``save()`` copies new entries into
/// the archive. The log is off until ``keep()`` is called, or until a caller follows the log. It
/// never waits: entries are copied into a ring, and a slow listener loses entries.
public final class RequestLog: Sendable {
  private struct State {
    /// The newest entries. The entry with the number n is at the index (n - base) modulo the
    /// capacity.
    var ring: [WrittenEntry] = []
    /// Memory for the text of the next entry.
    var writer = JSONWriter(reserving: 1_024)
    /// The number of the first entry since the log was last switched on.
    var base = 0
    /// The number of the next entry.
    var count = 0
    /// The number of the first entry that is not in the archive yet.
    var savedCount = 0
    /// The time until which the log keeps requests, in milliseconds since 1970 UTC.
    var keptUntil = Int64.min
    var listeners: [Int: RequestListener] = [:]
    var nextListener = 0
  }

  /// The maximum number of batches that wait for one listener. A further batch replaces the oldest.
  private static let waitingMax = 8
  private static let pageMax: Int64 = 1_000
  private static let pageDefault: Int64 = 100
  /// The time for which the log keeps requests after a caller last followed it.
  private static let followedMilliseconds: Int64 = 60_000
  /// The maximum number of pieces of the archive that one request reads. Choice: they are read and
  /// filtered in about 50 ms.
  private static let piecesMax = 4

  private let state = Mutex(State())
  private let kept = Atomic(false)
  private let capacity: Int
  private let archive: (any RequestArchive)?
  private let whenSwitched: @Sendable () -> Void
  /// Counts the entries by endpoint and time.
  public let telemetry = Telemetry()

  /// - Parameters:
  ///   - archive: stores entries so that they survive a restart, or nil to have them only in
  ///     memory.
  ///   - whenSwitched: is called when ``isKept`` may have changed.
  public init(
    capacity: Int = Limits.requestLogEntriesMax, archive: (any RequestArchive)? = nil,
    whenSwitched: @escaping @Sendable () -> Void = {}
  ) {
    self.capacity = capacity
    self.archive = archive
    self.whenSwitched = whenSwitched
    guard let archive else { return }
    let next = archive.nextNumber
    state.withLock { ($0.base, $0.count, $0.savedCount) = (next, next, next) }
  }

  /// Begins to keep requests.
  public func keep() {
    state.withLock { $0.keptUntil = .max }
    switchOn()
  }

  /// Keeps requests for the next minute.
  func follow(at now: Int64) {
    state.withLock { $0.keptUntil = max($0.keptUntil, now + Self.followedMilliseconds) }
    switchOn()
  }

  private func switchOn() {
    if !kept.exchange(true, ordering: .relaxed) { whenSwitched() }
  }

  /// Whether requests are kept. If not, callers need not create entries.
  public var isKept: Bool { kept.load(ordering: .relaxed) }

  /// Adds entries, the oldest first.
  public func append(_ entries: [RequestEntry]) {
    let added = state.withLock { state in
      let added = isKept ? entries.prefix { $0.time <= state.keptUntil } : []
      for entry in added {
        if state.ring.count < capacity {
          state.ring.append(WrittenEntry(entry, &state.writer))
        } else {
          let place = (state.count - state.base) % capacity
          state.ring[place].replace(by: entry, &state.writer)
        }
        state.count += 1
      }
      for listener in state.listeners.keys { state.listeners[listener]?.send(added) }
      if added.count < entries.count {
        state.ring = []
        state.base = state.count
        kept.store(false, ordering: .relaxed)
      }
      return added
    }
    if added.count < entries.count { whenSwitched() }
    telemetry.add(added)
  }

  /// Copies the entries that are new since the last call into the archive.
  ///
  /// If more entries were added in between than the memory holds, the oldest of them are lost.
  ///
  /// - Throws: the archive's error. The next call tries again.
  public func save() throws(ServerError) {
    guard let archive else { return }
    let (entries, first) = state.withLock { state in
      let first = max(state.savedCount, state.count - state.ring.count)
      return ((first..<state.count).map { state.ring[($0 - state.base) % capacity] }, first)
    }
    guard !entries.isEmpty else { return }
    try archive.append(entries, first: first)
    state.withLock { $0.savedCount = first + entries.count }
  }

  /// Counts the archive's entries since a time, so that the telemetry includes the time before a
  /// restart.
  ///
  /// - Throws: the archive's error.
  public func recount(since time: Int64) throws(ServerError) {
    guard let archive else { return }
    let base = state.withLock { $0.base }
    var number = base
    while let piece = try archive.piece(before: number) {
      for (offset, entry) in piece.entries.enumerated()
      where piece.first + offset < number && entry.time >= time { telemetry.add([entry]) }
      guard piece.first < number, let oldest = piece.entries.first, oldest.time >= time else {
        return
      }
      number = piece.first
    }
  }

  /// Returns the entries that a request asks for.
  ///
  /// - Throws: `BAD_REQUEST` for a limit that is not allowed, for a position that is negative or no
  ///   number, or if the log is off; the archive's error.
  func list(_ request: ListRequests.Request) throws(ServerError) -> ListRequests.Response {
    let limit = request.resultsLimit ?? Self.pageDefault
    guard (1...Self.pageMax).contains(limit) else {
      throw .badRequest("resultsLimit must be 1 to \(Self.pageMax)")
    }
    let (before, after) = (
      try Self.position(request.before, "before"), try Self.position(request.after, "after")
    )
    let view = state.withLock {
      View(ring: $0.ring, base: $0.base, count: $0.count, capacity: capacity)
    }
    guard isKept else {
      throw .badRequest(
        "the server keeps no requests; start it with --console-port or --request-log-days")
    }
    if let after { return next(after, request, view, limit: Int(limit)) }
    return try latest(before ?? view.count, request, view, limit: Int(limit))
  }

  /// The entries in memory at one moment.
  private struct View {
    var ring: [WrittenEntry]
    var base: Int
    var count: Int
    /// The maximum number of entries.
    var capacity: Int

    var oldest: Int { count - ring.count }

    /// Returns the entry with a number, if a request asks for such entries.
    func entry(_ number: Int, for request: ListRequests.Request) -> RequestEntry? {
      guard let entry = ring[(number - base) % capacity].entry, request.includes(entry) else {
        return nil
      }
      return entry
    }
  }

  private static func position(
    _ text: String?, _ key: String
  ) throws(ServerError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), number >= 0 else {
      throw .badRequest("'\(key)' is not a position of an earlier answer")
    }
    return number
  }

  /// Returns the entries after a position, the oldest first.
  private func next(
    _ after: Int, _ request: ListRequests.Request, _ view: View, limit: Int
  ) -> ListRequests.Response {
    var number = min(max(after, view.oldest), view.count)
    var found: [RequestEntry] = []
    while number < view.count, found.count < limit {
      if let entry = view.entry(number, for: request) { found.append(entry) }
      number += 1
    }
    let skipped = max(0, min(view.oldest, view.count) - after)
    return ListRequests.Response(
      requests: found, before: nil, after: String(number), skippedCount: Int64(skipped))
  }

  /// Returns the entries before a position, the newest first.
  private func latest(
    _ before: Int, _ request: ListRequests.Request, _ view: View, limit: Int
  ) throws(ServerError) -> ListRequests.Response {
    var found: [RequestEntry] = []
    var number = min(before, view.count)
    while number > view.oldest, found.count < limit {
      number -= 1
      if let entry = view.entry(number, for: request) { found.append(entry) }
    }
    var hasMore = number > view.oldest
    if !hasMore, let archive {
      hasMore = true
      for _ in 0..<Self.piecesMax where hasMore && found.count < limit {
        guard let piece = try archive.piece(before: number) else {
          hasMore = false
          break
        }
        var place = min(number - piece.first, piece.entries.count)
        while place > 0, found.count < limit {
          place -= 1
          if request.includes(piece.entries[place]) { found.append(piece.entries[place]) }
        }
        number = piece.first + place
      }
    }
    return ListRequests.Response(
      requests: found, before: hasMore ? String(number) : nil, after: String(view.count))
  }

  /// Returns a stream of the entries that are added from now on.
  ///
  /// - Parameters:
  ///   - entriesPerSecondMax: the maximum number of entries of requests that arrived in the same
  ///     second. Further ones are only counted.
  ///   - shows: whether the listener gets the requests to a container.
  public func listen(
    entriesPerSecondMax: Int, shows: @escaping @Sendable (_ containerID: String) -> Bool
  ) -> AsyncStream<RequestBatch> {
    AsyncStream(bufferingPolicy: .bufferingNewest(Self.waitingMax)) { continuation in
      let listener = RequestListener(
        entriesPerSecondMax: entriesPerSecondMax, shows: shows, continuation: continuation)
      let id = state.withLock { state in
        state.nextListener += 1
        state.listeners[state.nextListener] = listener
        return state.nextListener
      }
      continuation.onTermination = { [weak self] _ in
        _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
      }
    }
  }
}

/// Answers ``ListRequests``.
public struct ListRequestsHandler: ManagementHandler {
  public typealias Endpoint = ListRequests

  let log: RequestLog
  let ambient: Ambient

  public init(log: RequestLog, ambient: Ambient) {
    self.log = log
    self.ambient = ambient
  }

  public func answer(
    _ request: ListRequests.Request
  ) async throws(ServerError) -> ListRequests.Response {
    if request.follows == true { log.follow(at: ambient.now()) }
    return try log.list(request)
  }
}
