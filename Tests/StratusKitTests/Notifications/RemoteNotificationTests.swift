import EventScripts
import Foundation
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// A task that iterates over `remoteNotifications` (a subscriber in these tests). It takes a
/// notification only when the test allows it.
private final class TestListener: Sendable {
  private let permits = Handoff<Void>()
  private let taken = Handoff<String>()
  private let task: Task<Void, Never>

  init(_ container: CKContainer) {
    task = Task { [permits, taken] in
      var notifications = container.remoteNotifications.makeAsyncIterator()
      while await permits.take() != nil, let notification = await notifications.next() {
        taken.put(notification.notificationID?.text ?? "")
      }
    }
  }

  /// Allows the subscriber to wait for one notification.
  func permit() { permits.put(()) }

  /// Waits for the next notification that the subscriber takes, and returns its ID. Each call
  /// returns another notification, oldest first.
  func result() async -> String? { await taken.take() }

  func take() async -> String? {
    permit()
    return await result()
  }

  func stop() async {
    task.cancel()
    await task.value
  }
}

/// A network with one stream, which delivers its only event when the gate opens.
private final class LateEvents: EventExchange, EventBody {
  /// A gate that opens when the stream is read.
  let isRead = Gate()
  let gate = Gate()
  private let isOver = Mutex(false)

  func open(_ request: HTTPRequest) async throws(NetworkFailure) -> EventAnswer {
    EventAnswer(status: 200, headers: ["content-type": "text/event-stream"], body: self)
  }

  func next() async throws(NetworkFailure) -> [UInt8]? {
    let isOver = isOver.withLock { isOver in
      defer { isOver = true }
      return isOver
    }
    if isOver { return nil }
    isRead.open()
    await gate.pass()
    return Array("id: 1\nevent: notification\ndata: \(databasePayload("late"))\n\n".utf8)
  }

  func close() {}
}

@Suite final class RemoteNotifications {
  private let server = FakeServer()
  private let events = ScriptedEvents()
  private let acknowledged = Handoff<Int64>()
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "stratus-state-\(UUID().uuidString)", isDirectory: true)

  init() {
    server.on(AcknowledgeNotifications.self) { [acknowledged] request in
      acknowledged.put(request.through)
      return EmptyRequest()
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func hub(_ container: CKContainer) throws -> NotificationHub {
    try #require(container.path.notificationFeed as? NotificationHub)
  }

  private func wait(until count: Int, listenTo container: CKContainer) async throws {
    let hub = try hub(container)
    while hub.listenerCount != count { await Task.yield() }
  }

  /// Lets other tasks run, so that the test notices if they do something that they must not do.
  private func letOthersRun() async { for _ in 0..<1_000 { await Task.yield() } }

  @Test
  func `a notification is acknowledged when the subscriber asks for the next one`() async throws {
    let container = server.container(events: events)
    let listener = TestListener(container)
    listener.permit()
    let body = try await events.opened().accept()
    body.notify(1, id: "first")
    #expect(await listener.result() == "first")
    await letOthersRun()
    #expect(server.calls.isEmpty)
    listener.permit()
    #expect(await acknowledged.take() == 1)
    body.notify(2)
    #expect(await listener.result() == "N-2")
    await letOthersRun()
    #expect(server.calls.count == 1)
    listener.permit()
    #expect(await acknowledged.take() == 2)
    await listener.stop()
    await body.closed()
  }

  @Test func `a notification is acknowledged after every subscriber has handled it`() async throws {
    let container = server.container(events: events)
    let (fast, slow) = (TestListener(container), TestListener(container))
    fast.permit()
    slow.permit()
    try await wait(until: 2, listenTo: container)
    let body = try await events.opened().accept()
    body.notify(1)
    #expect(await fast.result() == "N-1")
    #expect(await slow.result() == "N-1")
    for number in Int64(2)...4 {
      body.notify(number)
      #expect(await fast.take() == "N-\(number)")
    }
    #expect(await slow.take() == "N-2")
    #expect(await acknowledged.take() == 1)
    #expect(await slow.take() == "N-3")
    #expect(await acknowledged.take() == 2)
    // A subscriber that has stopped does not delay acknowledgements.
    await slow.stop()
    #expect(await acknowledged.take() == 3)
    fast.permit()
    #expect(await acknowledged.take() == 4)
    await fast.stop()
  }

  @Test
  func `a cancelled subscriber acknowledges its last notification when its loop body ends`()
    async throws
  {
    let container = server.container(events: events)
    let (gate, taken) = (Gate(), Gate())
    let task = Task {
      for await _ in container.remoteNotifications {
        taken.open()
        await gate.pass()
      }
    }
    try await events.opened().accept().notify(1)
    await taken.pass()
    task.cancel()
    await letOthersRun()
    #expect(server.calls.isEmpty)
    gate.open()
    #expect(await acknowledged.take() == 1)
    await task.value
  }

  @Test
  func `a new subscriber acknowledges the last taken notification and gets the next one`()
    async throws
  {
    let container = server.container(events: events)
    let first = TestListener(container)
    first.permit()
    let body = try await events.opened().accept()
    body.notify(5)
    #expect(await first.result() == "N-5")
    body.notify(6)
    await first.stop()
    await body.closed()
    #expect(try hub(container).listenerCount == 0)
    #expect(server.calls.isEmpty)
    let second = TestListener(container)
    second.permit()
    #expect(await acknowledged.take() == 5)
    let opening = try await events.opened()
    #expect(opening.lastEventID == "5")
    opening.accept().notify(6)
    #expect(await second.result() == "N-6")
    second.permit()
    #expect(await acknowledged.take() == 6)
    await second.stop()
  }

  @Test
  func `a slow subscriber misses the oldest notifications and does not delay other subscribers`()
    async throws
  {
    let container = server.container(events: events)
    let (fast, slow) = (TestListener(container), TestListener(container))
    fast.permit()
    slow.permit()
    try await wait(until: 2, listenTo: container)
    let body = try await events.opened().accept()
    body.notify(0)
    #expect(await fast.result() == "N-0")
    #expect(await slow.result() == "N-0")
    let count = Int64(NotificationHub.untakenMax + 500)
    for number in 1...count { body.notify(number) }
    for number in 1...count {
      let taken = await fast.take()
      guard taken == "N-\(number)" else {
        Issue.record("\(taken ?? "nil") at \(number)")
        return
      }
    }
    #expect(await slow.take() == "N-501")
    await fast.stop()
    await slow.stop()
  }

  @Test func `a single subscriber misses no notification, however slow it is`() async throws {
    let container = server.container(events: events)
    let listener = TestListener(container)
    listener.permit()
    let body = try await events.opened().accept()
    let count = Int64(NotificationHub.untakenMax * 2 + 5)
    for number in 1...count { body.notify(number) }
    #expect(await listener.result() == "N-1")
    for number in 2...count {
      let taken = await listener.take()
      guard taken == "N-\(number)" else {
        Issue.record("\(taken ?? "nil") at \(number)")
        return
      }
    }
    await listener.stop()
  }

  @Test func `two tasks can read one sequence of notifications`() async throws {
    let container = server.container(events: events)
    let payloads = container.path.notificationFeed.notifications()
    let taken = Handoff<String>()
    let tasks = (0..<2).map { _ in
      Task { for await payload in payloads { taken.put(payload.notificationID) } }
    }
    let body = try await events.opened().accept()
    body.notify(1)
    body.notify(2)
    var seen: Set<String> = []
    for _ in 0..<2 { seen.insert(await taken.take() ?? "") }
    #expect(seen == ["N-1", "N-2"])
    for task in tasks {
      task.cancel()
      await task.value
    }
  }

  @Test
  func `a cancelled subscriber stops without a user, and no event source means a silent feed`()
    async throws
  {
    let listener = TestListener(server.container(webAuthToken: nil, events: events))
    listener.permit()
    await listener.stop()
    #expect(server.container().path.notificationFeed is SilentFeed)
  }

  @Test func `each user who signs in receives only the notifications of that user`() async throws {
    let container = server.container(webAuthToken: nil, events: events, stateFolder: folder)
    let listener = TestListener(container)
    listener.permit()
    container.signIn(webAuthToken: "ann")
    let first = try await events.opened()
    #expect(first.request.url.query?.hasSuffix("&ckWebAuthToken=ann") == true)
    let body = first.accept()
    container.signIn(webAuthToken: "bob")
    let second = try await events.opened()
    #expect(second.request.url.query?.hasSuffix("&ckWebAuthToken=bob") == true)
    #expect(second.lastEventID == nil)
    body.notify(1)
    second.accept().notify(2)
    #expect(await listener.result() == "N-2")
    listener.permit()
    #expect(await acknowledged.take() == 2)
    await listener.stop()
  }

  @Test func `no notification is delivered after a sign-out`() async throws {
    let late = LateEvents()
    let container = server.container(events: late)
    let heard = Journal()
    let task = Task {
      for await notification in container.remoteNotifications {
        heard.note(notification.notificationID?.text ?? "")
      }
    }
    await late.isRead.pass()
    container.signOut()
    late.gate.open()
    await letOthersRun()
    task.cancel()
    await task.value
    #expect(heard.all == [])
  }

  @Test func `a device that has subscribed before uses its device name in the first request`()
    async throws
  {
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    do {
      let listener = TestListener(server.container(events: events, stateFolder: folder))
      listener.permit()
      try await events.opened().accept()
      await listener.stop()
    }
    let file = folder.appendingPathComponent("devices/iCloud.org.example.App.development.0")
    let name = try String(contentsOf: file, encoding: .utf8).prefix { $0 != "\n" }
    let container = server.container(events: events, stateFolder: folder)
    _ = try await container.privateCloudDatabase.allRecordZones()
    #expect(server.calls.map(\.device) == [String(name)])
  }

  @Test func `a subscriber keeps its device name after a restart`() async throws {
    var names: [String] = []
    for _ in 0..<2 {
      let container = server.container(events: events, stateFolder: folder)
      let listener = TestListener(container)
      listener.permit()
      let opening = try await events.opened()
      names.append(opening.request.device ?? "")
      opening.accept().notify(1)
      #expect(await listener.result() == "N-1")
      listener.permit()
      #expect(await acknowledged.take() == 1)
      await listener.stop()
    }
    #expect(names[0] == names[1])
    #expect(server.calls.map(\.device) == names)
    let file = folder.appendingPathComponent("devices/iCloud.org.example.App.development.0")
    #expect(
      try String(contentsOf: file, encoding: .utf8) == "\(names[0])\n\(Live.program)\n")
  }

  /// Subscribes once as the given program. Sends another request first if `askingFirst` is true.
  ///
  /// - Returns: the device name in the stream's request.
  private func listen(as program: String, askingFirst: Bool = false) async throws -> String? {
    let container = server.container(events: events, stateFolder: folder, program: program)
    if askingFirst { _ = try await container.privateCloudDatabase.allRecordZones() }
    let listener = TestListener(container)
    listener.permit()
    let opening = try await events.opened()
    opening.accept()
    await listener.stop()
    return opening.request.device
  }

  @Test func `a program that never subscribes does not take another program's device name`()
    async throws
  {
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    let name = try await listen(as: "listener")
    let container = server.container(stateFolder: folder, program: "asker")
    _ = try await container.privateCloudDatabase.allRecordZones()
    #expect(server.calls.map(\.device) != [name])
    // The other program does not use the name, so the first program can have it.
    #expect(try await listen(as: "listener", askingFirst: true) == name)
    #expect(server.calls.last?.device == name)
    withExtendedLifetime(container) {}
  }

  @Test
  func `each program gets its own device name again, whatever the order of the programs`()
    async throws
  {
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    let (one, two) = (try await listen(as: "one"), try await listen(as: "two"))
    #expect(one != two)
    #expect(try await listen(as: "two", askingFirst: true) == two)
    #expect(try await listen(as: "one") == one)
    #expect(server.calls.map(\.device) == [two])
  }

  @Test func `the first subscriber gets a stored device name that belongs to no program`()
    async throws
  {
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    let name = try #require(try await listen(as: "one"))
    let file = folder.appendingPathComponent("devices/iCloud.org.example.App.development.0")
    try Data("\(name)\n".utf8).write(to: file)
    let asker = server.container(stateFolder: folder, program: "asker")
    _ = try await asker.privateCloudDatabase.allRecordZones()
    #expect(server.calls.map(\.device) != [name])
    #expect(try await listen(as: "one") == name)
    #expect(try String(contentsOf: file, encoding: .utf8) == "\(name)\none\n")
    #expect(try await listen(as: "two") != name)
  }

  @Test
  func `each subscribing container gets a device name of its own, and a fetch stores no name`()
    async throws
  {
    server.on(ListZones.self) { _ in ListZones.Response(zones: []) }
    server.on(ModifySubscriptions.self) { request in
      ListSubscriptions.Response(
        subscriptions: request.operations.compactMap {
          if case .save(let subscription) = $0 { .subscription(subscription) } else { nil }
        })
    }
    let (a, b) = (server.container(stateFolder: folder), server.container(stateFolder: folder))
    _ = try await a.privateCloudDatabase.allRecordZones()
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    for container in [a, b, a] {
      try await container.privateCloudDatabase.save(CKDatabaseSubscription(subscriptionID: "all"))
    }
    let devices = server.calls.map(\.device)
    #expect(devices.count == 4)
    #expect(devices[1] != devices[2])
    #expect(devices[1] == devices[3])
    #expect(devices[0] != devices[1])
  }
}
