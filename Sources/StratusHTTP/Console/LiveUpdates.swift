import StratusDomain
import StratusWire
import Synchronization

/// The streams of events that tell the pages of the console what is new (server-sent events).
final class LiveUpdates: Sendable {
  /// The seconds between two heartbeats. With each one, the server checks the session again.
  static let heartbeatSeconds: Int64 = 10
  /// The maximum number of entries of the request log that one stream sends in a second. People
  /// cannot read a table that changes faster.
  static let entriesPerSecondMax = 20
  /// The number of seconds for which a stream collects changes before it sends the next list.
  static let changesPauseSeconds: Int64 = 1
  /// The maximum number of open streams of one member. Each open page has one stream.
  static let streamsPerMemberMax = 6

  private let log: RequestLog
  private let news: ConsoleNews
  private let version: String
  private let counts = Mutex<[String: Int]>([:])

  init(log: RequestLog, news: ConsoleNews, version: String) {
    self.log = log
    self.news = news
    self.version = version
  }

  /// Opens a stream for a page of a member.
  ///
  /// - Parameters:
  ///   - sendsRequests: whether the stream also has the entries of the request log.
  ///   - view: returns what the member may see at the moment, or nil if the session has ended. It
  ///     is called with each heartbeat.
  /// - Throws: `THROTTLED` if the member has too many streams.
  func open(
    for member: String, _ first: ConsoleView, sendsRequests: Bool,
    view: @escaping @Sendable () async -> ConsoleView?
  ) throws(ServerError) -> AsyncStream<[UInt8]> {
    try takePlace(member)
    let current = SharedView(first)
    let (stream, continuation) = AsyncStream<[UInt8]>.makeStream(
      bufferingPolicy: .bufferingNewest(Self.entriesPerSecondMax * 2))
    let heartbeats = Task { [version] in
      while !Task.isCancelled {
        continuation.yield(Self.event("status", "{\"version\":\"\(version)\"}"))
        try? await Task.sleep(for: .seconds(Self.heartbeatSeconds))
        guard !Task.isCancelled, let view = await view() else { break }
        current.set(view)
      }
      continuation.yield(Self.event("ended", "{}"))
      continuation.finish()
    }
    let changes = Task { [mailbox = news.listen()] in
      for await _ in mailbox.signals {
        let shown = mailbox.take().filter { current.shows($0) }
        if shown.isEmpty { continue }
        if case .dropped = continuation.yield(Self.event(of: shown)) {
          // The stream has dropped its oldest event, which may have contained other changes.
          mailbox.put(ConsoleChange(area: ConsoleChange.everything))
        }
        try? await Task.sleep(for: .seconds(Self.changesPauseSeconds))
      }
    }
    let batches =
      sendsRequests
      ? log.listen(entriesPerSecondMax: Self.entriesPerSecondMax) { current.shows($0) } : nil
    let entries = Task {
      guard let batches else { return }
      for await batch in batches { continuation.yield(Self.events(of: batch)) }
    }
    continuation.onTermination = { [weak self] _ in
      heartbeats.cancel()
      changes.cancel()
      entries.cancel()
      self?.leavePlace(member)
    }
    return stream
  }

  private func takePlace(_ member: String) throws(ServerError) {
    let hasPlace = counts.withLock { counts in
      guard counts[member, default: 0] < Self.streamsPerMemberMax else { return false }
      counts[member, default: 0] += 1
      return true
    }
    if hasPlace { return }
    throw ServerError(
      .throttled, Reason.liveStreamsThrottled, retryAfterSeconds: Int(Self.heartbeatSeconds))
  }

  private func leavePlace(_ member: String) {
    counts.withLock { counts in
      counts[member, default: 1] -= 1
      if counts[member] == 0 { counts[member] = nil }
    }
  }

  private static func event(of changes: Set<ConsoleChange>) -> [UInt8] {
    let list = ConsoleChanges(changes: Array(changes))
    return event("changes", String(decoding: list.jsonBytes, as: UTF8.self))
  }

  /// Returns the events of a batch as one piece.
  ///
  /// NB: each write to a connection takes more time than all other work for an event.
  private static func events(of batch: RequestBatch) -> [UInt8] {
    var events: [UInt8] = []
    if batch.skippedCount > 0 { events += event("requests", "{\"skipped\":\(batch.skippedCount)}") }
    for entry in batch.entries {
      events += event("requests", String(decoding: entry.jsonBytes, as: UTF8.self))
    }
    return events
  }

  /// NB: the data is JSON without line breaks, so it is a single line.
  private static func event(_ name: String, _ data: String) -> [UInt8] {
    Array("event: \(name)\ndata: \(data)\n\n".utf8)
  }
}

/// The part of the console that a member may see. It may change while a stream is open.
private final class SharedView: Sendable {
  private let view: Mutex<ConsoleView>

  init(_ view: ConsoleView) { self.view = Mutex(view) }

  func set(_ view: ConsoleView) { self.view.withLock { $0 = view } }

  func shows(_ container: String) -> Bool {
    view.withLock { $0.containers?.contains(container) ?? true }
  }

  /// Whether the member may learn of a change. A change without a container concerns the server or
  /// its accounts.
  func shows(_ change: ConsoleChange) -> Bool {
    if change.area == ConsoleChange.everything { return true }
    return view.withLock { view in
      guard let containers = view.containers else { return true }
      return change.containerID.map { containers.contains($0) } ?? false
    }
  }
}
