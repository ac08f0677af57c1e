import StratusDomain
import StratusPush
import StratusWire
import Synchronization
import Testing

/// Delivery from the queues to Apple's service: order, acknowledgements and retries
/// (docs/guide/apns.md).
@Suite struct `APNs channel` {
  private static let address = StoreAddress(
    container: "iCloud.org.example", environment: .production)

  private let clock = StillClock()
  private let queue = MemoryQueue()
  private let log = Log()

  final class Log: Sendable {
    private let sentences = Mutex<[String]>([])
    var all: [String] { sentences.withLock(\.self) }
    func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
  }

  private func channel(
    _ sender: FakeSender, chance: Double = 0,
    change: (inout APNsChannel.Settings) -> Void = { _ in }
  ) -> APNsChannel {
    var settings = APNsChannel.Settings(
      now: { [clock] in clock.now }, chance: { chance }, report: { [log] in log.add($0) })
    change(&settings)
    return APNsChannel(
      sender: sender, settings: settings, queues: { [queue] in [Self.address: queue] })
  }

  /// Returns a sender that gives the listed outcomes in order, and then `delivered`.
  private static func sender(_ outcomes: APNsOutcome...) -> FakeSender {
    let left = Mutex(outcomes)
    return FakeSender { _ in left.withLock { $0.isEmpty ? .delivered : $0.removeFirst() } }
  }

  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }

  @Test func `each device receives every notification once and in order`() async {
    queue.register("phone")
    queue.register("pad")
    queue.register("other", of: "_v")
    queue.add(100)
    queue.add(1, to: "_v")
    let sender = FakeSender()
    let channel = channel(sender)
    while await channel.turn() {}
    #expect(sender.taken(by: "phone") == numbers(1...100))
    #expect(sender.taken(by: "pad") == numbers(1...100))
    #expect(sender.taken(by: "other") == ["101"])
    #expect(queue.acknowledged("phone") == 100)
    #expect(queue.acknowledged("other") == 101)
    #expect(sender.attempts == 201)
    queue.add(2)
    while await channel.turn() {}
    #expect(sender.taken(by: "phone") == numbers(1...100) + ["102", "103"])
  }

  @Test func `the APNs channel skips the device that made the change`() async {
    queue.register("phone")
    queue.register("pad")
    queue.add(1, from: "phone")
    let sender = FakeSender()
    await channel(sender).turn()
    #expect(sender.taken(by: "phone").isEmpty)
    #expect(sender.taken(by: "pad") == ["1"])
    #expect(queue.acknowledged("phone") == 1)
  }

  @Test
  func `a restarted channel sends only the notifications that it has not sent before`() async {
    queue.register("phone")
    queue.add(3)
    await channel(FakeSender()).turn()
    queue.add(2)
    let sender = FakeSender()
    await channel(sender).turn()
    #expect(sender.taken(by: "phone") == ["4", "5"])
  }

  @Test
  func `a device that is unregistered loses its token, and other devices keep theirs`() async {
    queue.register("phone")
    queue.register("pad")
    queue.add(3)
    let sender = FakeSender { $0.deviceToken == "phone" ? .deviceGone : .delivered }
    let channel = channel(sender)
    while await channel.turn() {}
    #expect(
      queue.devices.map(\.channel) == [.stream, .apns(token: "pad", .production)])
    #expect(queue.acknowledged("phone") == 0)
    #expect(sender.attempts == 4)
  }

  @Test func `a device that has changed its token during the delivery keeps the new token`() async {
    queue.register("phone", token: "old")
    queue.add()
    let sender = FakeSender { [queue] message in
      guard message.deviceToken == "old" else { return .delivered }
      queue.register("phone", token: "new")
      return .deviceGone
    }
    let channel = channel(sender)
    while await channel.turn() {}
    #expect(sender.taken(by: "new") == ["1"])
  }

  @Test
  func `a device receives its queued notifications once after it gets a token`() async throws {
    queue.add(2)
    let sender = FakeSender()
    let channel = channel(sender)
    #expect(await !channel.turn())
    queue.register("phone")
    #expect(await !channel.turn(), "without a signal, the queue is not read")
    for _ in 0..<2 { channel.signal(try #require(queue.devices.first), at: Self.address) }
    while await channel.turn() {}
    #expect(sender.taken(by: "phone") == ["1", "2"])
  }

  @Test func `a refused notification does not delay the next ones`() async {
    queue.register("phone")
    queue.add(3)
    let sender = Self.sender(.delivered, .refused(reason: "BadCollapseId"))
    await channel(sender).turn()
    #expect(sender.taken(by: "phone") == ["1", "3"])
    #expect(queue.acknowledged("phone") == 3)
    #expect(log.all.count == 1 && log.all.first?.contains("BadCollapseId") == true)
  }

  @Test func `an unreadable notification does not delay the next ones`() async {
    queue.register("phone")
    queue.add(1, text: Array("{".utf8))
    queue.add()
    let sender = FakeSender()
    await channel(sender).turn()
    #expect(sender.taken(by: "phone") == ["2"])
    #expect(queue.acknowledged("phone") == 2)
  }

  @Test func `a throttled device waits for Apple's retry delay and loses no notification`() async {
    queue.register("phone")
    queue.register("pad")
    queue.add(3)
    let isBusy = Mutex(true)
    let sender = FakeSender { message in
      guard message.deviceToken == "phone", message.payload.notificationID == "2" else {
        return .delivered
      }
      return isBusy.withLock(\.self)
        ? .later(afterSeconds: 17, reason: "TooManyRequests") : .delivered
    }
    let channel = channel(sender)
    await channel.turn()
    #expect(sender.taken(by: "phone") == ["1"])
    #expect(queue.acknowledged("phone") == 1)
    #expect(sender.taken(by: "pad") == numbers(1...3))
    isBusy.withLock { $0 = false }
    clock.advance(milliseconds: 16_999)
    #expect(await !channel.turn())
    clock.advance(milliseconds: 1)
    #expect(await channel.turn())
    #expect(sender.taken(by: "phone") == numbers(1...3))
  }

  @Test func `retry delays of a failing device grow up to five minutes`() async {
    queue.register("phone")
    queue.add()
    let sender = FakeSender { _ in .later(afterSeconds: nil, reason: "InternalServerError") }
    let channel = channel(sender)
    var waits: [Int64] = []
    #expect(await channel.turn())
    while waits.count < 11 {
      let before = clock.now
      repeat {
        clock.advance(milliseconds: 1_000)
        if await channel.turn() { break }
      } while clock.now - before < 1_000_000
      waits.append((clock.now - before) / 1_000)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300])
  }

  @Test func `randomness shortens a retry delay by at most a half`() async {
    queue.register("phone")
    queue.add()
    let sender = Self.sender(.later(afterSeconds: nil, reason: "InternalServerError"))
    let channel = channel(sender, chance: 0.999)
    await channel.turn()
    clock.advance(milliseconds: 499)
    #expect(await !channel.turn())
    clock.advance(milliseconds: 2)
    #expect(await channel.turn())
  }

  @Test func `while Apple's service is down, devices wait and the outage is reported once`() async {
    for number in 0..<20 { queue.register("phone\(number)") }
    queue.register("tester", .development)
    queue.add()
    let isDown = Mutex(true)
    let sender = FakeSender { message in
      message.environment == .production && isDown.withLock(\.self)
        ? .serviceDown(afterSeconds: nil, reason: "the connection failed") : .delivered
    }
    let channel = channel(sender)
    await channel.turn()
    #expect(sender.taken(by: "tester") == ["1"])
    #expect(sender.attempts == 21)
    #expect(log.all.count == 1)
    queue.register("late")
    queue.add()
    await channel.turn()
    #expect(sender.attempts == 22)
    clock.advance(milliseconds: 1_000)
    isDown.withLock { $0 = false }
    while await channel.turn() {}
    for number in 0..<20 { #expect(sender.taken(by: "phone\(number)") == ["1", "2"]) }
    #expect(sender.taken(by: "late") == ["1", "2"])
  }

  @Test
  func `if Apple refuses the sender, no notification is lost and the refusal is reported once`()
    async
  {
    queue.register("phone")
    queue.add(2)
    let refusal = APNsOutcome.senderRefused(reason: "BadTopic")
    let sender = Self.sender(refusal, refusal, refusal)
    let channel = channel(sender)
    for _ in 0..<3 {
      #expect(await channel.turn())
      clock.advance(minutes: 4)
      #expect(await !channel.turn())
      clock.advance(minutes: 1)
    }
    #expect(await channel.turn())
    #expect(sender.taken(by: "phone") == ["1", "2"])
    #expect(log.all.count == 1 && log.all.first?.contains("--apns-topic") == true)
  }

  @Test func `a store that could not be read is read again`() async {
    queue.register("phone")
    queue.add(2)
    let sender = FakeSender()
    let channel = channel(sender)
    queue.failNext(1)
    #expect(await !channel.turn())
    #expect(await channel.turn())
    #expect(sender.taken(by: "phone") == ["1", "2"])
  }

  @Test func `a notification whose acknowledgement was not stored is sent again`() async {
    queue.register("phone")
    queue.add()
    let sender = FakeSender { [queue] _ in
      if queue.acknowledged("phone") == 0 { queue.failNext(1) }
      return .delivered
    }
    let channel = channel(sender)
    await channel.turn()
    queue.failNext(0)
    #expect(queue.acknowledged("phone") == 0)
    clock.advance(minutes: 5)
    let second = FakeSender()
    await self.channel(second).turn()
    #expect(sender.taken(by: "phone") + second.taken(by: "phone") == ["1", "1"])
    #expect(queue.acknowledged("phone") == 1)
  }

  @Test
  func `the number of devices served at the same time is limited, and all are served`() async {
    for number in 0..<50 { queue.register("phone\(number)") }
    queue.add()
    let sender = FakeSender()
    let channel = channel(sender) {
      $0.deliveriesMax = 7
      $0.devicesMax = 20
    }
    while await channel.turn() {}
    #expect(sender.underWayMax <= 7)
    for number in 0..<50 { #expect(sender.taken(by: "phone\(number)") == ["1"]) }
  }

  @Test(.timeLimit(.minutes(15)))
  func `notifications that arrive while a device is served are sent, too`() async {
    queue.register("phone")
    queue.add()
    let (served, reportServed) = AsyncStream.makeStream(of: Void.self)
    let sender = FakeSender { [queue] message in
      if message.payload.notificationID == "1" { queue.add() }
      if message.payload.notificationID == "2" { reportServed.yield() }
      return .delivered
    }
    let channel = channel(sender)
    let task = Task { await channel.run() }
    channel.signal()
    while sender.taken(by: "phone").isEmpty, !Task.isCancelled { await Task.yield() }
    channel.signal()
    for await _ in served { break }
    task.cancel()
    await task.value
    #expect(sender.taken(by: "phone").last == "2")
  }
}
