public import StratusDomain
import Synchronization

/// Delivers notifications from the stores' queues to connected listeners.
///
/// The hub has no thread and no timer. ``run(workersMax:)`` or ``settle()`` does the pending work,
/// and the server calls ``tick()`` about once a second. The hub reads a user's queue once for all
/// listeners of the user. It delivers each notification to all listeners of a delivery group in one
/// call.
public final class Hub: NotificationListening {
  /// The number of seconds between two heartbeats on a connection.
  public let heartbeatSeconds: Int64
  let stores: any StoreCatalog
  private let ambient: Ambient
  private let report: @Sendable (ServerError) -> Void
  private let state = Mutex(HubState())
  /// Signals that work is pending. Several signals count as one.
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  /// The maximum number of notifications in one read.
  static let pageMax = 100
  /// The number of payload bytes after which a page ends early.
  static let pageSizeBytesMax = 65_536

  /// - Parameters:
  ///   - heartbeatSeconds: the default is 25, because proxies close connections that are silent for
  ///     30 seconds.
  ///   - report: receives the error if a queue cannot be read. The hub tries again later.
  public init(
    stores: any StoreCatalog, ambient: Ambient, heartbeatSeconds: Int64 = 25,
    report: @escaping @Sendable (ServerError) -> Void = { _ in }
  ) {
    self.stores = stores
    self.ambient = ambient
    self.heartbeatSeconds = heartbeatSeconds
    self.report = report
    (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The number of listeners.
  public var listenerCount: Int { state.withLock(\.listenerCount) }

  public func join(
    _ listener: any NotificationListener, as devices: [ListeningDevice], until deadline: Int64?
  ) {
    let isOpen = state.withLock { $0.join(listener, as: devices, until: deadline) }
    if isOpen { signal.yield() } else { listener.group.release([listener]) }
  }

  public func leave(_ listener: any NotificationListener, as devices: [ListeningDevice]) {
    state.withLock { $0.leave(listener, as: devices) }
  }

  public func consume(through number: Int64, by device: ListeningDevice) {
    state.withLock { $0.consume(through: number, by: device) }
    signal.yield()
  }

  /// Does pending work until the task is cancelled.
  ///
  /// - Parameter workersMax: the maximum number of work items that are done in parallel.
  public func run(workersMax: Int = 4) async {
    await withDiscardingTaskGroup { group in
      for await _ in signals {
        let count = state.withLock { $0.employ(workersMax: workersMax) }
        for _ in 0..<count {
          group.addTask { while let work = self.nextWork() { await self.perform(work) } }
        }
      }
    }
  }

  /// Does all pending work, one item after the other. This method is for tests without background
  /// tasks.
  public func settle() async {
    while let work = state.withLock({ $0.takeWork() }) { await perform(work) }
  }

  /// Finds the queues of a store that have new notifications. The server calls this method after a
  /// change, and at intervals.
  public func look(at address: StoreAddress) async {
    guard let position = state.withLock({ $0.position(of: address) }) else { return }
    do throws(ServerError) {
      let store = try await stores.store(at: address)
      var (position, hasMore) = (position, true)
      while hasMore {
        let from = position
        let news = try await store.read { (store) throws(ServerError) in
          try store.usersWithNews(after: from, limit: Self.newsMax)
        }
        (position, hasMore) = (news.through, news.hasMore)
        state.withLock { $0.note(news, in: address) }
      }
      signal.yield()
    } catch {
      report(error)
    }
  }

  /// Checks every store that has listeners, in case a signal was lost.
  public func poll() async {
    for address in state.withLock(\.listenedStores) { await look(at: address) }
  }

  /// Disconnects long polls whose deadline has passed, and retries failed work. Sends heartbeats to
  /// all listeners every ``heartbeatSeconds``. The server calls this method about once a second.
  public func tick() {
    let now = ambient.now()
    let (released, kept) = state.withLock {
      $0.tick(now: now, heartbeatSeconds: heartbeatSeconds)
    }
    for batch in DeliveryGroups.batches(released) { batch.group.release(batch.listeners) }
    for batch in DeliveryGroups.batches(kept) { batch.group.keepAlive(batch.listeners) }
    signal.yield()
  }

  /// Stores that every listening device was seen now. Otherwise a device would be removed after a
  /// month on one connection. The server calls this method once or twice a day.
  public func touchDevices() async {
    let now = ambient.now()
    for (address, devices) in state.withLock(\.listeningDevices) {
      do throws(ServerError) {
        let store = try await stores.store(at: address)
        for start in stride(from: 0, to: devices.count, by: Self.touchesMax) {
          let some = devices[start..<min(start + Self.touchesMax, devices.count)]
          try await store.write { (store) throws(ServerError) in
            for (user, deviceID) in some {
              try store.touch(deviceID: deviceID, of: user, now: now)
            }
          }
        }
      } catch {
        report(error)
      }
    }
  }

  /// Disconnects the listeners of disabled or restricted accounts and of ended sessions. The server
  /// calls this method after such a change. The server also calls this method about once a second,
  /// because another process may have made the change, or a listener may have connected just before
  /// it.
  ///
  /// - Throws: the error of `authentication`.
  public func releaseEnded(by authentication: any Authentication) async throws(ServerError) {
    let sessions = state.withLock(\.listeningSessions)
    if !sessions.isEmpty {
      let ended = try await authentication.endedSessions(among: sessions)
      let listeners = state.withLock { $0.listeners(in: ended) }
      for batch in DeliveryGroups.batches(listeners) { batch.group.release(batch.listeners) }
    }
    for address in state.withLock(\.listenedStores) {
      let users = try await authentication.disabledUsers(of: address.container)
      let listeners = state.withLock { $0.listeners(for: users, at: address) }
      for batch in DeliveryGroups.batches(listeners) { batch.group.release(batch.listeners) }
    }
  }

  /// Disconnects all listeners, and refuses new ones. The server calls this method when it stops,
  /// and also some time before, if `stratus nodes drain` prepares the stop.
  public func close() {
    let listeners = state.withLock { $0.close() }
    for batch in DeliveryGroups.batches(listeners) { batch.group.release(batch.listeners) }
  }

  private static let newsMax = 1_000
  private static let touchesMax = 200

  private func nextWork() -> HubWork? { state.withLock { $0.takeWorkOrRest() } }

  private func perform(_ work: HubWork) async {
    do throws(ServerError) {
      switch work {
      case .serve(let topic): try await serve(topic)
      case .consume(let topic, let deviceID, let number):
        let store = try await stores.store(of: .private(owner: topic.user), at: topic.store)
        try await store.write { (store) throws(ServerError) in
          try store.acknowledge(through: number, by: deviceID, of: topic.user)
        }
        state.withLock { $0.didConsume(through: number, deviceID, of: topic) }
      }
    } catch {
      report(error)
      state.withLock { $0.failed(work) }
    }
  }

  /// Reads a user's queue, and delivers the new notifications page by page.
  private func serve(_ topic: Topic) async throws(ServerError) {
    guard var position = state.withLock({ $0.beginRound(of: topic) }) else { return }
    let store = try await stores.store(of: .private(owner: topic.user), at: topic.store)
    while true {
      let from = position
      let (page, newest) = try await store.read { (store) throws(ServerError) in
        let page = try store.notifications(
          of: topic.user, after: from, limit: Self.pageMax, sizeBytesMax: Self.pageSizeBytesMax)
        return (page, try store.queueEnd(of: topic.user))
      }
      let sizeBytes = page.reduce(0) { $0 + $1.payloadText.count }
      let isLast = page.count < Self.pageMax && sizeBytes < Self.pageSizeBytesMax
      position = isLast ? max(newest.number, from) : page.last?.number ?? newest.number
      let through = position
      let deliveries = state.withLock { $0.deliveries(of: page, isLast: isLast, for: topic) }
      for part in deliveries {
        let delivery = NotificationDelivery(
          store: topic.store, user: topic.user, after: part.after, through: through,
          notifications: part.notifications)
        for batch in DeliveryGroups.batches(part.listeners) {
          batch.group.deliver(delivery, to: batch.listeners)
        }
      }
      let isDone = state.withLock {
        $0.endPage(
          page, of: topic, through: through, storeNumber: newest.storeNumber, isLast: isLast)
      }
      if isDone { return }
    }
  }
}
