import CEpoll
import Glibc
import StratusWire

/// Measures streams of notifications: what they cost when idle, and how soon one write reaches all.
struct PushJobs {
  private static let zone = "watched"
  /// Few enough that all are still known when the last has opened its stream.
  private static let devices = 40

  let server: BenchServer
  /// Streams that are idle.
  let streams: Int
  /// Streams that one write reaches.
  let reached: Int
  let writes: Int

  func measure(round: Int) throws -> [Row] {
    let requests = server.requests("iCloud.bench.push.r\(round)")
    let exchange = try Exchange(port: server.process.port)
    _ = try exchange.send(requests.createZone(Self.zone))
    _ = try exchange.send(requests.subscribe(Self.zone))
    _ = try exchange.send(try requests.saving(zone: Self.zone, name: 0))
    let before = server.process.residentBytes
    var open = OpenStreams()
    defer { open.close() }
    try open.add(streams, port: server.process.port) {
      requests.stream(device: "d\($0 % Self.devices)")
    }
    usleep(2_000_000)
    let each = Double(server.process.residentBytes - before) / Double(streams)
    open.keep(reached)
    var latencies: [Int64] = []
    for write in 1...UInt64(writes) {
      latencies.append(
        try open.timeToAll {
          _ = try exchange.send(try requests.saving(zone: Self.zone, name: write))
        })
    }
    latencies.sort()
    var idle = Row("\(streams) idle streams", rate: each / 1_000, unit: "kB each")
    idle.comparisons = [.init(name: "kB each", value: each / 1_000, goal: .atMost(12))]
    let worst = Double(latencies.last ?? 0) / 1e6
    var fan = Row(
      "one write to \(reached) streams", rate: Double(latencies.percentile(0.5)) / 1e6,
      unit: "ms, p50")
    fan.comparisons = [.init(name: "ms, the slowest", value: worst, goal: .atMost(250))]
    return [idle, fan]
  }
}

/// Streams on which events are awaited.
struct OpenStreams {
  private static let opening = Array(":\n\n\r\n".utf8)
  private static let event = Array("event: notification".utf8)
  /// Opened at a time: more than the system lets wait to be accepted would be refused.
  private static let atOnce = 50

  private let poller = epoll_create1(0)
  private var descriptors: [Int32] = []

  mutating func add(
    _ count: Int, port: Int, _ request: (Int) -> [UInt8]
  ) throws(Failure) {
    for start in stride(from: 0, to: count, by: Self.atOnce) {
      var fresh: [Int32] = []
      for index in start..<min(count, start + Self.atOnce) {
        let descriptor = try Socket.connect(port: port)
        fresh.append(descriptor)
        _ = try Socket.send(request(index), from: 0, to: descriptor)
      }
      descriptors += fresh
      for descriptor in fresh { try Self.wait(for: Self.opening, on: descriptor) }
    }
    for descriptor in descriptors {
      Socket.stopWaiting(descriptor)
      var event = epoll_event()
      event.events = EPOLLIN.rawValue
      event.data.fd = descriptor
      epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event)
    }
  }

  /// Closes all streams but so many.
  mutating func keep(_ count: Int) {
    for descriptor in descriptors.dropFirst(count) { Glibc.close(descriptor) }
    descriptors = Array(descriptors.prefix(count))
  }

  func close() {
    for descriptor in descriptors { Glibc.close(descriptor) }
    Glibc.close(poller)
  }

  /// Writes, and waits until every stream has had an event.
  ///
  /// - Returns: nanoseconds from the answer to the write.
  func timeToAll(_ write: () throws -> Void) throws -> Int64 {
    try write()
    let start = Clock.nanoseconds()
    var left = Set(descriptors)
    var events = [epoll_event](repeating: epoll_event(), count: 256)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !left.isEmpty {
      let ready = epoll_wait(poller, &events, 256, 10_000)
      if ready < 0, errno == EINTR { continue }
      if ready <= 0 { throw Failure("\(left.count) streams have heard nothing for ten seconds") }
      for event in events[..<Int(ready)] {
        let count = recv(event.data.fd, &buffer, buffer.count, 0)
        if count <= 0 { throw Failure("a stream was closed") }
        // Others' signs of life may come between; an event is never parted on this machine.
        if Self.has(Self.event, buffer[..<count]) { left.remove(event.data.fd) }
      }
    }
    return Clock.nanoseconds() - start
  }

  private static func wait(for text: [UInt8], on descriptor: Int32) throws(Failure) {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !has(text, received[...]) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { throw Failure("a stream was refused") }
      received += buffer.prefix(count)
    }
  }

  private static func has(_ text: [UInt8], _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      text.withUnsafeBytes { text in
        cepoll_find(bytes.baseAddress, bytes.count, text.baseAddress, text.count) >= 0
      }
    }
  }
}

extension Requests {
  /// Subscribes to a zone.
  fileprivate func subscribe(_ zone: String) -> RequestTemplate {
    let subscription = Subscription(
      id: "all", .zone(ZoneID(zoneName: zone), recordType: nil))
    return request(
      ModifySubscriptions.self,
      .init(operations: [.save(subscription)]))
  }

  /// Saves a record.
  fileprivate func saving(zone: String, name: UInt64) throws -> RequestTemplate {
    var template = try saving(1, zone: zone)
    template.setNames { name }
    return template
  }

  /// Opens a stream.
  fileprivate func stream(device: String) -> [UInt8] {
    let path = "/device/1/\(container)/development/\(StreamNotifications.path)"
    return Array(
      "GET \(path)?\(query)&clientId=\(device) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
  }
}
