import StratusDomain

/// The state of a ``Hub``. The methods of this type never wait.
struct HubState {
  private struct Poll {
    let listener: any NotificationListener
    let devices: [ListeningDevice]
    let deadline: Int64
  }

  private struct DeviceKey: Hashable {
    let topic: Topic
    let deviceID: String
  }

  private var topics: [Topic: TopicState] = [:]
  private var polls: [ObjectIdentifier: Poll] = [:]
  /// For each store, the number of topics with listeners, and the store's notification number up to
  /// which the store was checked. This number is nil if no queue of the store has been read.
  private var stores: [StoreAddress: (position: Int64?, topics: Int)] = [:]
  /// The acknowledgements that are not written to the store yet, by device.
  private var consumed: [DeviceKey: Int64] = [:]
  private var work = WorkList()
  private var failures: [HubWork] = []
  private var workers = 0
  private var lastHeartbeat: Int64?
  private var isClosed = false

  var listenerCount: Int {
    topics.values.reduce(0) { $0 + $1.subscribers.count }
  }

  var listenedStores: [StoreAddress] { Array(stores.keys) }

  var listeningDevices: [StoreAddress: [(user: String, deviceID: String)]] {
    var result: [StoreAddress: [(user: String, deviceID: String)]] = [:]
    for (topic, state) in topics {
      for subscriber in state.subscribers {
        result[topic.store, default: []].append((topic.user, subscriber.deviceID))
      }
    }
    return result
  }

  // NB: if the result is false, the calling method must release the listener. This method cannot do
  // it, because the listener's group may call the hub again.
  mutating func join(
    _ listener: any NotificationListener, as devices: [ListeningDevice], until deadline: Int64?
  ) -> Bool {
    if isClosed { return false }
    for device in devices {
      let topic = Topic(store: device.store, user: device.user)
      let known = consumed[DeviceKey(topic: topic, deviceID: device.deviceID)] ?? 0
      if topics[topic] == nil {
        topics[topic] = TopicState()
        stores[topic.store, default: (nil, 0)].topics += 1
      }
      topics[topic]?.add(
        SubscribedListener(
          listener: listener, deviceID: device.deviceID, sessionID: device.sessionID,
          ownPosition: device.position,
          position: max(device.position, known)))
      enqueue(topic)
    }
    if let deadline {
      polls[ObjectIdentifier(listener)] = Poll(
        listener: listener, devices: devices, deadline: deadline)
    }
    return true
  }

  mutating func leave(_ listener: any NotificationListener, as devices: [ListeningDevice]) {
    polls[ObjectIdentifier(listener)] = nil
    for device in devices {
      let topic = Topic(store: device.store, user: device.user)
      if topics[topic]?.remove(listener) == true { forgetIfIdle(topic) }
    }
  }

  /// Removes a topic that has no listeners.
  ///
  /// NB: a topic whose queue is being read is kept, because the read finds its topic by the key. If
  /// listeners joined a new topic with the same key, the read would use them with wrong positions.
  private mutating func forgetIfIdle(_ topic: Topic) {
    guard let state = topics[topic], state.isEmpty, !state.isServed else { return }
    topics[topic] = nil
    stores[topic.store]?.topics -= 1
    if stores[topic.store]?.topics == 0 { stores[topic.store] = nil }
  }

  mutating func consume(through number: Int64, by device: ListeningDevice) {
    let topic = Topic(store: device.store, user: device.user)
    let key = DeviceKey(topic: topic, deviceID: device.deviceID)
    consumed[key] = max(number, consumed[key] ?? 0)
    work.append(.consume(topic, deviceID: device.deviceID, through: number))
  }

  mutating func didConsume(through number: Int64, _ deviceID: String, of topic: Topic) {
    let key = DeviceKey(topic: topic, deviceID: deviceID)
    if let known = consumed[key], known <= number { consumed[key] = nil }
  }

  /// Adds a topic to the work list, if the topic has work and is not in the list.
  private mutating func enqueue(_ topic: Topic) {
    guard let state = topics[topic], state.needsService, !state.isQueued, !state.isServed
    else { return }
    topics[topic]?.isQueued = true
    work.append(.serve(topic))
  }

  /// Returns the number of additional workers to start.
  mutating func employ(workersMax: Int) -> Int {
    let count = max(0, min(work.count, workersMax) - workers)
    workers += count
    return count
  }

  /// Returns the next work item. If the result is nil, there is no work, and the worker must end.
  mutating func takeWorkOrRest() -> HubWork? {
    if let next = takeWork() { return next }
    workers -= 1
    return nil
  }

  mutating func takeWork() -> HubWork? {
    guard let next = work.popFirst() else { return nil }
    if case .serve(let topic) = next { topics[topic]?.isQueued = false }
    return next
  }

  /// Keeps failed work until the next call of ``tick(now:heartbeatSeconds:)``.
  mutating func failed(_ work: HubWork) {
    failures.append(work)
    if case .serve(let topic) = work {
      topics[topic]?.abandonRound()
      forgetIfIdle(topic)
    }
  }

  func position(of store: StoreAddress) -> Int64? { stores[store]?.position }

  mutating func note(_ news: UsersWithNews, in store: StoreAddress) {
    guard let known = stores[store] else { return }
    stores[store]?.position = max(known.position ?? 0, news.through)
    for user in news.users {
      let topic = Topic(store: store, user: user)
      if topics[topic] == nil { continue }
      topics[topic]?.hasNews = true
      enqueue(topic)
    }
  }

  mutating func tick(
    now: Int64, heartbeatSeconds: Int64
  ) -> (released: [any NotificationListener], kept: [any NotificationListener]) {
    for work in failures {
      switch work {
      case .serve(let topic): enqueue(topic)
      case .consume: self.work.append(work)
      }
    }
    failures = []
    let ended = polls.values.filter { $0.deadline <= now }
    for poll in ended { leave(poll.listener, as: poll.devices) }
    var kept: [any NotificationListener] = []
    if let last = lastHeartbeat, now - last < heartbeatSeconds * 1_000 {
      return (ended.map(\.listener), kept)
    }
    if lastHeartbeat != nil {
      for topic in topics.values { kept += topic.subscribers.map(\.listener) }
    }
    lastHeartbeat = now
    return (ended.map(\.listener), kept)
  }

  /// The IDs of the sessions that have listeners.
  var listeningSessions: Set<String> {
    var sessions: Set<String> = []
    for topic in topics.values {
      for subscriber in topic.subscribers {
        if let session = subscriber.sessionID { sessions.insert(session) }
      }
    }
    return sessions
  }

  /// Returns the listeners of these sessions.
  func listeners(in sessions: Set<String>) -> [any NotificationListener] {
    if sessions.isEmpty { return [] }
    return topics.values.flatMap { topic in
      topic.subscribers.filter { $0.sessionID.map(sessions.contains) ?? false }.map(\.listener)
    }
  }

  func listeners(
    for users: Set<String>, at address: StoreAddress
  ) -> [any NotificationListener] {
    // NB: the loop must use the smaller set, because all listeners contend for the lock of this
    // state.
    if users.count < topics.count {
      return users.flatMap {
        topics[Topic(store: address, user: $0)]?.subscribers.map(\.listener) ?? []
      }
    }
    let concerned = topics.filter { $0.key.store == address && users.contains($0.key.user) }
    return concerned.values.flatMap { $0.subscribers.map(\.listener) }
  }

  mutating func close() -> [any NotificationListener] {
    isClosed = true
    defer {
      topics = [:]
      polls = [:]
      stores = [:]
    }
    return topics.values.flatMap { $0.subscribers.map(\.listener) }
  }
}

/// Methods to read the queue of a topic page by page, from the lowest position of its listeners to
/// the end.
extension HubState {
  mutating func beginRound(of topic: Topic) -> Int64? { topics[topic]?.beginRound() }

  func deliveries(
    of page: [QueuedNotification], isLast: Bool, for topic: Topic
  ) -> [PositionedDelivery] {
    topics[topic]?.deliveries(of: page, isLast: isLast) ?? []
  }

  /// - Parameters:
  ///   - number: the number of the user's counter up to which the queue was read.
  ///   - storeNumber: the newest number of the store's counter when the page was read.
  mutating func endPage(
    _ page: [QueuedNotification], of topic: Topic, through number: Int64, storeNumber: Int64,
    isLast: Bool
  ) -> Bool {
    guard let isDone = topics[topic]?.endPage(page, through: number, isLast: isLast) else {
      return true
    }
    guard isDone else { return false }
    // A store is checked for notifications above one number, the store's position. The first queue
    // of the store that is read sets this position to the newest number at that time. If another
    // queue was read when the newest number was lower, that queue is read again. Otherwise its
    // notifications between the two numbers would be missed.
    let followed = stores[topic.store]?.position
    if followed == nil { stores[topic.store]?.position = storeNumber }
    if let followed, storeNumber < followed { topics[topic]?.hasNews = true }
    forgetIfIdle(topic)
    enqueue(topic)
    return true
  }
}

/// The pending work, in first-in, first-out order.
private struct WorkList {
  private var incoming: [HubWork] = []
  /// The work that is older than ``incoming``. Its last element is the next work item.
  private var outgoing: [HubWork] = []

  var count: Int { incoming.count + outgoing.count }

  mutating func append(_ work: HubWork) { incoming.append(work) }

  mutating func popFirst() -> HubWork? {
    if outgoing.isEmpty {
      outgoing = incoming.reversed()
      incoming.removeAll(keepingCapacity: true)
    }
    return outgoing.popLast()
  }
}
