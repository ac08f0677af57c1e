public import StratusDomain
import StratusWire
import Synchronization

/// Delivers queued notifications to devices through the Apple Push Notification service (APNs).
///
/// A device gets its notifications in order and one at a time. Devices do not wait for each other.
/// When Apple accepts a notification, the channel acknowledges it. If Apple cannot accept a
/// notification now, it stays in the queue. After a crash, unacknowledged notifications are sent
/// again.
public actor APNsChannel {
  /// The clock, the limits and the operator's log of a channel.
  public struct Settings: Sendable {
    /// Returns the time in milliseconds since 1970 UTC.
    public var now: @Sendable () -> Int64
    /// Returns a random number in 0 ..< 1.
    public var chance: @Sendable () -> Double
    /// Receives messages for the operator.
    public var report: @Sendable (String) -> Void
    /// The maximum number of devices that are served in parallel. Choice: Apple's service accepts
    /// hundreds of requests per connection.
    public var deliveriesMax = 64
    /// The maximum number of devices that wait in memory. Further devices wait in the store.
    /// Choice: the devices in memory take a few megabytes, and only while Apple's service is
    /// unavailable.
    public var devicesMax = 20_000

    public init(
      now: @escaping @Sendable () -> Int64, chance: @escaping @Sendable () -> Double,
      report: @escaping @Sendable (String) -> Void
    ) {
      self.now = now
      self.chance = chance
      self.report = report
    }
  }

  private static let newsPage = 1_000
  /// The maximum number of notifications that are sent to a device between two acknowledgements.
  /// After a crash, up to this many notifications are sent twice.
  private static let messagesInRow = 32

  private let sender: any APNsSender
  private let queues: @Sendable () async -> [StoreAddress: any APNsQueue]
  private let settings: Settings
  private let signals: AsyncStream<Void>
  private nonisolated let continuation: AsyncStream<Void>.Continuation
  private nonisolated let mayHaveNews = Mutex(News(isAnywhere: true))

  /// The last notification number that was checked in each store.
  private var lookedAt: [StoreAddress: Int64] = [:]
  private var ready = DeviceLine()
  private var busy: Set<DeviceInLine> = []
  /// Devices whose queue has grown while they were being served.
  private var again: Set<DeviceInLine> = []
  private var deviceWaits: [DeviceInLine: BackOff] = [:]
  private var serviceWaits: [ContainerEnvironment: BackOff] = [:]
  private var lastReport: [ContainerEnvironment: String] = [:]

  /// - Parameter queues: returns the queues of the stores in use.
  public init(
    sender: any APNsSender, settings: Settings,
    queues: @escaping @Sendable () async -> [StoreAddress: any APNsQueue]
  ) {
    self.sender = sender
    self.queues = queues
    self.settings = settings
    (signals, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Signals that any store may have new notifications. The channel also needs a signal to notice
  /// that a wait is over.
  public nonisolated func signal() {
    mayHaveNews.withLock { $0.isAnywhere = true }
    continuation.yield()
  }

  /// Signals that queues of one store may have grown. Other stores are not checked.
  public nonisolated func signal(at address: StoreAddress) {
    mayHaveNews.withLock { _ = $0.stores.insert(address) }
    continuation.yield()
  }

  /// Signals that a device has become reachable. Older notifications may be waiting for it.
  public nonisolated func signal(_ device: StoredDevice, at address: StoreAddress) {
    guard let device = DeviceInLine(device, at: address) else { return }
    mayHaveNews.withLock { _ = $0.devices.insert(device) }
    continuation.yield()
  }

  /// Delivers after each signal, until the task is cancelled.
  public func run() async {
    let signals = signals
    await withDiscardingTaskGroup { group in
      for await _ in signals {
        for (device, queue) in await takeDue() {
          group.addTask {
            await self.serve(device, from: queue)
            self.continuation.yield()
          }
        }
      }
      group.cancelAll()
    }
  }

  /// Serves each due device once, but at most ``Settings/deliveriesMax`` devices, and returns when
  /// all of them have been served. This method is for tests and simulations.
  ///
  /// - Returns: whether any device was due.
  @discardableResult
  public func turn() async -> Bool {
    mayHaveNews.withLock { $0.isAnywhere = true }
    let due = await takeDue()
    await withDiscardingTaskGroup { group in
      for (device, queue) in due { group.addTask { await self.serve(device, from: queue) } }
    }
    return !due.isEmpty
  }
}

// Devices that are due
extension APNsChannel {
  /// The stores that may have new notifications, and the devices for which older notifications may
  /// wait.
  private struct News: Sendable {
    var isAnywhere = false
    var stores: Set<StoreAddress> = []
    var devices: Set<DeviceInLine> = []
  }

  /// Returns the devices to serve now, and marks them as busy.
  private func takeDue() async -> [(DeviceInLine, any APNsQueue)] {
    // NB: the signals are taken before the list of stores is read, because a signal may concern the
    // newest store.
    let news = mayHaveNews.withLock { news in
      defer { news = News() }
      return news
    }
    let queues = await queues()
    for device in news.devices { add(device) }
    await takeIn(news, from: queues)
    let time = settings.now()
    var due: [(DeviceInLine, any APNsQueue)] = []
    for _ in 0..<ready.count {
      guard busy.count < settings.deliveriesMax, let device = ready.popFirst() else { break }
      guard let queue = queues[device.store] else {
        // The store was deleted, or this process no longer sends its notifications. The device is
        // dropped from the line.
        deviceWaits[device] = nil
        continue
      }
      let mayGo =
        deviceWaits[device]?.isOver(at: time) ?? true
        && serviceWaits[device.environment]?.isOver(at: time) ?? true
      guard mayGo, !busy.contains(device) else {
        ready.append(device)
        continue
      }
      busy.insert(device)
      due.append((device, queue))
    }
    return due
  }

  /// Finds devices with new notifications in the stores, up to the maximum number in memory.
  private func takeIn(_ news: News, from queues: [StoreAddress: any APNsQueue]) async {
    for (address, queue) in queues where news.isAnywhere || news.stores.contains(address) {
      var hasMore = true
      while hasMore, ready.count < settings.devicesMax {
        let after = lookedAt[address] ?? 0
        do throws(ServerError) {
          let news = try await queue.devicesWithNews(after: after, limit: Self.newsPage)
          for device in news.devices { add(DeviceInLine(device, at: address)) }
          lookedAt[address] = max(news.through, lookedAt[address] ?? 0)
          hasMore = news.hasMore && news.through > after
        } catch {
          settings.report("the notifications of \(address.container) cannot be read: \(error.log)")
          hasMore = false
        }
      }
      if hasMore { mayHaveNews.withLock { _ = $0.stores.insert(address) } }
    }
  }

  private func add(_ device: DeviceInLine?) {
    guard let device else { return }
    if busy.contains(device) { again.insert(device) } else { ready.append(device) }
  }
}

// Delivery to one device
extension APNsChannel {
  /// The result of serving a device.
  private enum End {
    /// - Parameter wasSent: whether Apple's service accepted at least one notification.
    case served(hasMore: Bool, wasSent: Bool)
    case deviceGone
    /// Apple does not know the token, so it was removed from the device's row.
    case tokenGone
    /// The delivery stopped at a notification that must be sent again later.
    case stopped(APNsOutcome)
    case storeFailed(ServerError)
  }

  private nonisolated func serve(_ device: DeviceInLine, from queue: any APNsQueue) async {
    await note(await deliver(to: device, from: queue), of: device)
  }

  /// Sends a device's next notifications in order, at most ``messagesInRow``. Skips those that
  /// Apple will never accept. Stops at one that must be sent again later, or if the token is not
  /// valid.
  private nonisolated func deliver(
    to position: DeviceInLine, from queue: any APNsQueue
  ) async -> End {
    do throws(ServerError) {
      let waiting = try await queue.waiting(
        for: position.deviceID.text, of: position.user.text, limit: Self.messagesInRow)
      guard let waiting, case .apns(let token, let environment) = waiting.device.channel else {
        return .deviceGone
      }
      let device = waiting.device
      var acknowledged = device.acknowledged
      var wasSent = false
      var stop: APNsOutcome?
      for notification in waiting.notifications {
        // The device that made the change is not notified of it.
        if notification.originDeviceID.map(ExactName.init) != position.deviceID {
          let outcome = await send(notification, token, environment)
          if !isSettled(outcome) {
            stop = outcome
            break
          }
          if outcome == .delivered { wasSent = true }
        }
        acknowledged = notification.number
      }
      // NB: the acknowledgement must come before the removal of the token. The device still exists,
      // and must not get these notifications again.
      if acknowledged > device.acknowledged {
        try await queue.acknowledge(through: acknowledged, by: device)
      }
      if stop == .deviceGone {
        try await queue.removeToken(of: device)
        return .tokenGone
      }
      if let stop { return .stopped(stop) }
      return .served(hasMore: waiting.hasMore, wasSent: wasSent)
    } catch {
      return .storeFailed(error)
    }
  }

  private nonisolated func send(
    _ notification: QueuedNotification, _ token: String, _ environment: ContainerEnvironment
  ) async -> APNsOutcome {
    // NB: a payload that cannot be read now can never be read, so the device must not wait for it.
    guard let payload = try? notification.payload() else {
      return .refused(reason: "it cannot be read")
    }
    return await sender.send(
      APNsMessage(
        deviceToken: token, environment: environment, payload: payload,
        number: notification.number, coalescingKey: notification.coalescingKey,
        // Apple keeps a notification for the same time as the queue does.
        expiresAt: notification.createdAt + Limits.notificationDaysMax * 86_400_000))
  }

  /// Whether the channel is finished with a notification, so that the next one can be sent.
  private nonisolated func isSettled(_ outcome: APNsOutcome) -> Bool {
    switch outcome {
    case .delivered: return true
    case .refused(let reason):
      settings.report("a notification cannot go to Apple's push service: \(reason)")
      return true
    case .deviceGone, .later, .serviceDown, .senderRefused: return false
    }
  }

  private func note(_ end: End, of device: DeviceInLine) {
    busy.remove(device)
    var hasNews = again.remove(device) != nil
    switch end {
    case .served(let hasMore, let wasSent):
      if hasMore { hasNews = true }
      deviceWaits[device] = nil
      if wasSent {
        serviceWaits[device.environment] = nil
        lastReport[device.environment] = nil
      }
    case .deviceGone: deviceWaits[device] = nil
    case .tokenGone:
      // The device may have a new token by now.
      hasNews = true
      deviceWaits[device] = nil
    case .stopped(let outcome):
      hasNews = true
      wait(outcome, for: device)
    case .storeFailed(let error):
      hasNews = true
      settings.report("notifications of \(device.store.container) cannot be sent: \(error.log)")
      wait(.later(afterSeconds: nil, reason: error.reason), for: device)
    }
    if hasNews { ready.append(device) }
  }

  private func wait(_ outcome: APNsOutcome, for device: DeviceInLine) {
    let time = settings.now()
    let chance = settings.chance()
    switch outcome {
    case .delivered, .deviceGone, .refused: return
    case .later(let seconds, _):
      deviceWaits[device, default: BackOff()]
        .fail(at: time, afterSeconds: seconds, chance: chance)
    case .serviceDown(let seconds, let reason):
      serviceWaits[device.environment, default: BackOff()]
        .fail(at: time, afterSeconds: seconds, chance: chance)
      reportOnce("Apple's push service cannot be reached: \(reason)", device.environment)
    case .senderRefused(let reason):
      serviceWaits[device.environment, default: BackOff()]
        .fail(at: time, afterSeconds: nil, isLong: true, chance: chance)
      reportOnce(
        "Apple's push service refuses this server: \(reason); \(Self.advice(reason))",
        device.environment)
    }
  }

  /// Reports a sentence once. It is reported again only after a successful delivery or a different
  /// report.
  private func reportOnce(_ sentence: String, _ environment: ContainerEnvironment) {
    if Task.isCancelled || lastReport[environment] == sentence { return }
    lastReport[environment] = sentence
    settings.report(sentence)
  }

  private static func advice(_ reason: String) -> String {
    switch reason {
    case "ExpiredProviderToken": "set this machine's clock"
    case "BadTopic", "MissingTopic", "TopicDisallowed":
      "check that --apns-topic is the app's bundle ID and the key's team is the app's"
    case "InvalidProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken":
      "check --apns-key, --apns-key-id and --apns-team-id, and what the key is allowed to do"
    case _: "check --apns-key, --apns-key-id, --apns-team-id and --apns-topic"
    }
  }
}

extension ServerError {
  /// The error as text for a log entry.
  fileprivate var log: String { "\(reason) \(facts)" }
}
