import Glibc
import StratusWire

/// Measures notification streams: the latency of an event, the time in which one write reaches all
/// streams, and the cost of idle streams.
struct PushJobs {
  private static let zone = "watched"
  /// The number of devices. It is lower than `Limits.devicesPerUserMax`, so that the server does
  /// not forget a device while streams are opened.
  private static let devices = 40

  let server: BenchServer
  let sizes: Sizes
  let children: Children

  func measure(round: Int) throws -> [Row] {
    try [measureOne(round), measureAll(round)]
      + [measureIdle(sizes.streams, servers: 1), measureIdle(sizes.manyStreams, servers: 3)]
      .flatMap { $0 }
  }

  /// Measures the time from a write to its event on another device.
  private func measureOne(_ round: Int) throws -> Row {
    let (requests, exchange) = try watched("iCloud.bench.push.one.r\(round)")
    var open = OpenStreams()
    defer { open.close() }
    try open.add(1, port: server.process.port) { _ in requests.stream(device: "other") }
    var latencies: [Int64] = []
    for write in 1...UInt64(sizes.events) {
      let request = try requests.saving(zone: Self.zone, name: write)
      let start = Clock.nanoseconds()
      _ = try exchange.send(request)
      try open.awaitAll()
      latencies.append(Clock.nanoseconds() - start)
    }
    return Row(
      "write to event on another device", latencies: latencies.sorted(),
      goals: [(0.5, "p50", 5), (0.99, "p99", 30)])
  }

  /// Measures the time from the answer to a write until the last of many streams has received the
  /// event.
  private func measureAll(_ round: Int) throws -> Row {
    let (requests, exchange) = try watched("iCloud.bench.push.all.r\(round)")
    var open = OpenStreams()
    defer { open.close() }
    try open.add(sizes.reachedStreams, port: server.process.port) {
      requests.stream(device: "d\($0 % Self.devices)")
    }
    var latencies: [Int64] = []
    for write in 1...UInt64(5) {
      _ = try exchange.send(try requests.saving(zone: Self.zone, name: write))
      let start = Clock.nanoseconds()
      try open.awaitAll()
      latencies.append(Clock.nanoseconds() - start)
    }
    return Row(
      "one write to \(sizes.reachedStreams) streams", latencies: latencies.sorted(),
      goals: [(1, "the slowest", 250)])
  }

  /// Measures, on separate servers, the memory of idle streams. Also measures how long a server
  /// needs to notice closed streams, and to end when all streams are open.
  private func measureIdle(_ streams: Int, servers: Int) throws -> [Row] {
    let parts = try children.runAtOnce(
      servers, ["streams", "--count", "\(streams / servers)"])
    let name = "\(streams) idle streams" + (servers > 1 ? " of \(servers) servers" : "")
    func worst(_ key: String) -> Double { parts.compactMap { $0[key] }.max() ?? .infinity }
    var cost = Row(name, rate: worst("kilobytesEach"), unit: "kB each")
    cost.comparisons = [
      .init(name: "kB each", value: cost.figure, goal: .atMost(12)),
      .init(
        name: "ms until 1,000 that leave are noticed", value: worst("leavingMilliseconds"),
        goal: nil),
      .init(
        name: "s from SIGTERM to the end, all open", value: worst("endingSeconds"),
        goal: .atMost(1)),
    ]
    return [cost]
  }

  /// Creates a zone with a subscription.
  private func watched(_ container: String) throws -> (Requests, Exchange) {
    let requests = server.requests(container)
    let exchange = try Exchange(port: server.process.port)
    _ = try exchange.send(requests.createZone(Self.zone))
    _ = try exchange.send(requests.subscribe(Self.zone))
    _ = try exchange.send(try requests.saving(zone: Self.zone, name: 0))
    return (requests, exchange)
  }
}

extension Requests {
  /// Returns a request that subscribes to a zone.
  fileprivate func subscribe(_ zone: String) -> RequestTemplate {
    let subscription = Subscription(
      id: "all", .zone(ZoneID(zoneName: zone), recordType: nil))
    return request(
      ModifySubscriptions.self,
      .init(operations: [.save(subscription)]))
  }

  /// Returns a request that saves a record with this name.
  fileprivate func saving(zone: String, name: UInt64) throws -> RequestTemplate {
    var template = try saving(1, zone: zone)
    template.setNames { name }
    return template
  }

  /// Returns the bytes of a request that opens a stream.
  func stream(device: String) -> [UInt8] {
    let path = "/device/1/\(container)/development/\(StreamNotifications.path)"
    return Array(
      "GET \(path)?\(query)&clientId=\(device) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
  }
}
