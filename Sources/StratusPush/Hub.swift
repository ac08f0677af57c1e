public import StratusDomain
import Synchronization

/// Where those who listen for notifications and those who have some for them meet.
///
/// It has no thread and no timer of its own: ``run(workersMax:)`` or ``settle()`` does what there
/// is to do, ``tick()`` is called each second or so. A user's queue is read once for all who
/// listen to it, and each of its notifications is handed to a whole lane in one go.
public final class Hub: NotificationListening {
  /// Seconds between two signs that a connection stands.
  public let heartbeatSeconds: Int64
  let stores: any StoreCatalog
  private let ambient: Ambient
  private let report: @Sendable (ServerError) -> Void
  private let state = Mutex(HubState())
  /// Says that there is work; more than once is once.
  private let signals: AsyncStream<Void>
  private let signal: AsyncStream<Void>.Continuation

  /// Notifications read at once.
  static let pageMax = 100
  /// Bytes of payloads after which a page ends early.
  static let pageSizeBytesMax = 65_536

  /// - Parameters:
  ///   - heartbeatSeconds: 25: proxies are known to close what is silent for 30.
  ///   - report: hears why a queue could not be read; it is tried again.
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

  /// How many listen.
  public var listenerCount: Int { state.withLock(\.listenerCount) }

  public func join(
    _ listener: any NotificationListener, as devices: [ListeningDevice], until deadline: Int64?
  ) {
    let isOpen = state.withLock { $0.join(listener, as: devices, until: deadline) }
    if isOpen { signal.yield() } else { listener.lane.release([listener]) }
  }

  public func leave(_ listener: any NotificationListener, as devices: [ListeningDevice]) {
    state.withLock { $0.leave(listener, as: devices) }
  }

  public func consume(through number: Int64, by device: ListeningDevice) {
    state.withLock { $0.consume(through: number, by: device) }
    signal.yield()
  }

  /// Does what there is to do until the task is cancelled.
  ///
  /// - Parameter workersMax: how many queues are read at a time.
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

  /// Does all there is to do now, one after the other: for a test without tasks of its own.
  public func settle() async {
    while let work = state.withLock({ $0.takeWork() }) { await perform(work) }
  }

  /// Looks which queues of a store were added to; called after that happened, and now and then.
  public func look(at address: StoreAddress) async {
    guard let place = state.withLock({ $0.place(of: address) }) else { return }
    do throws(ServerError) {
      let store = try await stores.store(at: address)
      var (place, hasMore) = (place, true)
      while hasMore {
        let from = place
        let news = try await store.read { (store) throws(ServerError) in
          try store.usersWithNews(after: from, limit: Self.newsMax)
        }
        (place, hasMore) = (news.through, news.hasMore)
        state.withLock { $0.note(news, in: address) }
      }
      signal.yield()
    } catch {
      report(error)
    }
  }

  /// Looks into every store somebody listens to, in case a nudge was lost.
  public func lookAround() async {
    for address in state.withLock(\.listenedStores) { await look(at: address) }
  }

  /// Releases those whose time is up, keeps the other connections alive, and tries again what
  /// failed.
  public func tick() {
    let now = ambient.now()
    let (released, kept) = state.withLock {
      $0.tick(now: now, heartbeatSeconds: heartbeatSeconds)
    }
    for group in Lanes.group(released) { group.lane.release(group.listeners) }
    for group in Lanes.group(kept) { group.lane.keepAlive(group.listeners) }
    signal.yield()
  }

  /// Notes a sign of life of every device that listens: one that does so for a month is not
  /// forgotten. For once or twice a day.
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

  /// Releases those who listen for users whose accounts are disabled. For each second or so, since
  /// somebody may have been let in just before.
  ///
  /// - Throws: what `authentication` throws.
  public func releaseDisabled(by authentication: any Authentication) async throws(ServerError) {
    for address in state.withLock(\.listenedStores) {
      let users = try await authentication.disabledUsers(of: address.container)
      let listeners = state.withLock { $0.listeners(for: users, at: address) }
      for group in Lanes.group(listeners) { group.lane.release(group.listeners) }
    }
  }

  /// Releases all who listen, now and from now on; the server ends.
  public func close() {
    let listeners = state.withLock { $0.close() }
    for group in Lanes.group(listeners) { group.lane.release(group.listeners) }
  }

  private static let newsMax = 1_000
  private static let touchesMax = 200

  private func nextWork() -> HubWork? { state.withLock { $0.takeWorkOrRest() } }

  private func perform(_ work: HubWork) async {
    do throws(ServerError) {
      switch work {
      case .serve(let topic): try await serve(topic)
      case .consume(let topic, let deviceID, let number):
        let store = try await stores.store(at: topic.store)
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

  /// Reads a user's queue and hands out what is new, page by page.
  private func serve(_ topic: Topic) async throws(ServerError) {
    guard var place = state.withLock({ $0.beginRound(of: topic) }) else { return }
    let store = try await stores.store(at: topic.store)
    while true {
      let from = place
      let (page, newest) = try await store.read { (store) throws(ServerError) in
        let page = try store.notifications(
          of: topic.user, after: from, limit: Self.pageMax, sizeBytesMax: Self.pageSizeBytesMax)
        return (page, try store.latestNotification())
      }
      let sizeBytes = page.reduce(0) { $0 + $1.payloadText.count }
      let isLast = page.count < Self.pageMax && sizeBytes < Self.pageSizeBytesMax
      place = isLast ? max(newest, from) : page.last?.number ?? newest
      let through = place
      let parcels = state.withLock { $0.parcels(of: page, isLast: isLast, for: topic) }
      for parcel in parcels {
        let delivery = NotificationDelivery(
          store: topic.store, user: topic.user, after: parcel.after, through: through,
          notifications: parcel.notifications)
        for group in Lanes.group(parcel.listeners) {
          group.lane.deliver(delivery, to: group.listeners)
        }
      }
      let isDone = state.withLock {
        $0.endPage(page, of: topic, through: through, isLast: isLast)
      }
      if isDone { return }
    }
  }
}
