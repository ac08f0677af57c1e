import StratusDomain
import StratusPush
import StratusWire
import Testing

@Suite struct `A hub` {
  @Test func `the hub delivers queued notifications and then new ones`() async throws {
    try await withScene { scene in
      try await scene.enqueue(["1", "2"])
      let recorder = await scene.join(at: 1)
      #expect(recorder.heard == ["2"])
      try await scene.enqueue(["3"])
      try await scene.enqueue(["4"], for: "_bob")
      try await scene.enqueue(["5"])
      #expect(recorder.heard == ["2", "3", "5"])
    }
  }

  @Test func `the hub reaches all listeners of a group with one delivery`() async throws {
    try await withScene { scene in
      let group = RecordingGroup()
      var recorders: [NotificationRecorder] = []
      for number in 0..<20 { recorders.append(await scene.join("d\(number)", on: group)) }
      try await scene.enqueue(["1", "2", "3"])
      #expect(group.reached == [20])
      #expect(recorders.allSatisfy { $0.heard == ["1", "2", "3"] })
    }
  }

  @Test func `the hub skips only the device that made the change`() async throws {
    try await withScene { scene in
      let (ann, other) = (await scene.join("a"), await scene.join("b"))
      try await scene.enqueue(["1"], from: "a")
      try await scene.enqueue(["2"], from: "b")
      try await scene.enqueue(["3"])
      #expect(ann.heard == ["2", "3"])
      #expect(other.heard == ["1", "3"])
    }
  }

  @Test
  func `the hub delivers earlier notifications to a new listener, and repeats none to the others`()
    async throws
  {
    try await withScene { scene in
      let first = await scene.join("a")
      try await scene.enqueue(["1", "2"])
      let second = await scene.join("b", at: 1)
      let third = await scene.join("c", at: 0)
      try await scene.enqueue(["3"])
      #expect(first.heard == ["1", "2", "3"])
      #expect(second.heard == ["2", "3"])
      #expect(third.heard == ["1", "2", "3"])
    }
  }

  /// The hub follows the numbers of the store, which count the notifications of all users. The
  /// positions of listeners are numbers of their user.
  @Test func `the hub misses no notification between other users' notifications`() async throws {
    try await withScene { scene in
      try await scene.enqueue(["x"], for: "_bob")
      let first = await scene.join("a")
      try await scene.enqueue(["y"], for: "_bob")
      let second = await scene.join("b")
      try await scene.enqueue(["z"], for: "_bob")
      try await scene.enqueue(["1"])
      let third = await scene.join("c", at: 0)
      try await scene.enqueue(["w"], for: "_bob")
      try await scene.enqueue(["2"])
      for recorder in [first, second, third] { #expect(recorder.heard == ["1", "2"]) }
    }
  }

  @Test func `the hub delivers many notifications in order, page by page`() async throws {
    try await withScene { scene in
      let ids = (0..<250).map { "\($0)" }
      let store = try await scene.stores.store(at: Scene.address)
      try await store.write { (body) throws(ServerError) in
        try body.register(
          StoredDevice(
            user: "_ann", deviceID: "a", channel: .stream, acknowledged: 0, seen: 1))
      }
      let early = await scene.join("a")
      try await scene.enqueue(ids)
      let late = await scene.join("b")
      #expect(early.heard == ids)
      #expect(late.heard == ids)
    }
  }

  @Test func `the hub delivers nothing to listeners that have left`() async throws {
    try await withScene { scene in
      let (first, second) = (await scene.join("a"), await scene.join("b"))
      scene.hub.leave(first, as: [first.device])
      try await scene.enqueue(["1"])
      #expect(first.heard == [])
      #expect(second.heard == ["1"])
      #expect(scene.hub.listenerCount == 1)
    }
  }

  /// The listener is like a stream with a slow client. It drops notifications while it has no
  /// capacity, and joins again later.
  @Test func `the hub delivers everything that an overloaded listener has missed`() async throws {
    try await withScene { scene in
      let (recorder, other) = (await scene.join("a"), await scene.join("b"))
      try await scene.enqueue(["1"])
      recorder.setDeaf(true)
      try await scene.enqueue(["2", "3"])
      recorder.setDeaf(false)
      try await scene.enqueue(["4"])
      #expect(recorder.heard == ["1"], "a listener ignores notifications after a gap")
      scene.rejoin(recorder)
      await scene.hub.settle()
      #expect(recorder.heard == ["1", "2", "3", "4"])
      #expect(other.heard == ["1", "2", "3", "4"])
    }
  }

  /// When the listener joins again, the hub is reading the queue from a later position.
  @Test func `the hub delivers what a single listener missed, even while its queue is read`()
    async throws
  {
    try await withScene { scene in
      let recorder = await scene.join("a")
      try await scene.enqueue(["1"])
      recorder.setDeaf(true)
      try await scene.enqueue(["2"])
      recorder.setDeaf(false)
      let (events, event) = AsyncStream.makeStream(of: Void.self)
      var happened = events.makeAsyncIterator()
      let first = try await scene.beginReading(["3"]) { event.yield() }
      await happened.next()
      scene.rejoin(recorder)
      let second = Task {
        await scene.hub.settle()
        event.yield()
      }
      // Either a second read of the queue waits, or there is nothing to read.
      await happened.next()
      scene.stores.release(all: false)
      await first.value
      scene.stores.release()
      await second.value
      await scene.hub.settle()
      #expect(recorder.heard == ["1", "2", "3"])
    }
  }

  @Test(arguments: [false, true])
  func `the hub removes a queue without listeners after reading it`(fails: Bool) async throws {
    try await withScene { scene in
      let recorder = await scene.join("a")
      let (events, event) = AsyncStream.makeStream(of: Void.self)
      var happened = events.makeAsyncIterator()
      let reading = try await scene.beginReading(["1"]) { event.yield() }
      await happened.next()
      scene.hub.leave(recorder, as: [recorder.device])
      if fails { scene.stores.failNext(1) }
      scene.stores.release()
      await reading.value
      let asked = scene.stores.asked
      await scene.hub.poll()
      #expect(scene.stores.asked == asked)
      #expect(recorder.heard == [])
    }
  }

  @Test func `the hub answers a poll at its time-out`() async throws {
    try await withScene { scene in
      let poll = await scene.join("a", until: scene.clock.now + 30_000)
      let stream = await scene.join("b")
      scene.clock.move(bySeconds: 29)
      scene.hub.tick()
      #expect(poll.heard == [])
      scene.clock.move(bySeconds: 1)
      scene.hub.tick()
      #expect(poll.heard.last == "released")
      #expect(scene.hub.listenerCount == 1)
      #expect(!stream.heard.contains("released"))
    }
  }

  @Test func `the hub keeps connections alive with a message every 25 seconds`() async throws {
    try await withScene { scene in
      let recorder = await scene.join("a")
      for _ in 0..<100 {
        scene.hub.tick()
        scene.clock.move(bySeconds: 1)
      }
      #expect(recorder.heard == ["alive", "alive", "alive"])
    }
  }

  @Test func `a closed hub releases all listeners and refuses later ones`() async throws {
    try await withScene { scene in
      let early = await scene.join("a")
      scene.hub.close()
      let late = await scene.join("b")
      #expect(early.heard == ["released"])
      #expect(late.heard == ["released"])
      #expect(scene.hub.listenerCount == 0)
    }
  }

  @Test
  func `the hub uses a device's acknowledgement before it stores the acknowledgement`() async throws
  {
    try await withScene { scene in
      let store = try await scene.stores.store(at: Scene.address)
      try await store.write { (body) throws(ServerError) in
        try body.register(
          StoredDevice(
            user: "_ann", deviceID: "a", channel: .stream, acknowledged: 0, seen: 1))
      }
      try await scene.enqueue(["1", "2"])
      let device = ListeningDevice(
        store: Scene.address, user: "_ann", deviceID: "a", position: 0)
      scene.hub.consume(through: 1, by: device)
      let recorder = NotificationRecorder(group: RecordingGroup(), device: device)
      scene.hub.join(recorder, as: [device], until: nil)
      await scene.hub.settle()
      #expect(recorder.heard == ["2"])
      let stored = try await store.read { (body) throws(ServerError) in
        try body.device(id: "a", of: "_ann")
      }
      #expect(stored?.acknowledged == 1)
    }
  }

  @Test func `the hub retries a failed read and reports the reason`() async throws {
    try await withScene { scene in
      let recorder = await scene.join("a")
      let store = try await scene.stores.store(at: Scene.address)
      try await store.write { (body) throws(ServerError) in
        try body.enqueue([Scene.notification("1", for: "_ann", from: nil)])
      }
      await scene.hub.look(at: Scene.address)
      scene.stores.failNext(1)
      await scene.hub.settle()
      #expect(recorder.heard == [])
      #expect(scene.errors.all == [.tryAgainLater])
      scene.hub.tick()
      await scene.hub.settle()
      #expect(recorder.heard == ["1"])
    }
  }

  @Test
  func `the hub finds notifications without a signal when it checks the stores`() async throws {
    try await withScene { scene in
      let recorder = await scene.join("a")
      let store = try await scene.stores.store(at: Scene.address)
      try await store.write { (body) throws(ServerError) in
        try body.enqueue([Scene.notification("1", for: "_ann", from: nil)])
      }
      await scene.hub.settle()
      #expect(recorder.heard == [])
      await scene.hub.poll()
      await scene.hub.settle()
      #expect(recorder.heard == ["1"])
    }
  }

  @Test
  func `the hub delivers all notifications to a stream, and one notification to a poll`()
    async throws
  {
    try await withScene { scene in
      let device = ListeningDevice(
        store: Scene.address, user: "_ann", deviceID: "a", position: 0)
      try await scene.enqueue(["1", "2"])
      var iterator = scene.hub.notifications(of: device).makeAsyncIterator()
      await scene.hub.settle()
      #expect(await iterator.next()?.payload.notificationID == "1")
      #expect(await iterator.next()?.payload.notificationID == "2")
      let running = Task { await scene.hub.run() }
      for expected in ["1", "2"] {
        let text = try #require(await scene.hub.poll(as: [device], until: .max))
        #expect(try NotificationPayload(jsonBytes: text).notificationID == expected)
      }
      running.cancel()
      await running.value
    }
  }

  @Test func `the hub stores when the devices of its listeners were last seen`() async throws {
    try await withScene { scene in
      let store = try await scene.stores.store(at: Scene.address)
      try await store.write { (body) throws(ServerError) in
        try body.register(
          StoredDevice(
            user: "_ann", deviceID: "a", channel: .stream, acknowledged: 0, seen: 1))
      }
      _ = await scene.join("a")
      scene.clock.move(bySeconds: 86_400)
      await scene.hub.touchDevices()
      let stored = try await store.read { (body) throws(ServerError) in
        try body.device(id: "a", of: "_ann")
      }
      #expect(stored?.seen == scene.clock.now)
    }
  }
}
