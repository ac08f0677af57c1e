import StratusWire

/// Measures saves, and the time from a write to its event, in two containers. In one container,
/// many query subscriptions (a million in a full run) concern the same record type. In the other
/// container, there is only one such subscription.
struct SubscriptionJobs {
  private static let zone = ZoneID.defaultZoneName
  /// The maximum number of operations in a request.
  private static let perRequest = 400
  /// The maximum number of subscriptions of a user.
  private static let perUser = 1_000

  let server: BenchServer
  let sizes: Sizes

  /// - Parameter announce: is called with the name of each step, to show the progress.
  func measure(round: Int, _ announce: (String) -> Void) throws -> [Row] {
    let few = try prepare("iCloud.bench.few.r\(round)")
    let many = try prepare("iCloud.bench.many.r\(round)")
    announce("round \(round): making \(sizes.subscriptions) subscriptions")
    let start = Clock.nanoseconds()
    try subscribe(1, container: few.container)
    try subscribe(sizes.subscriptions, container: many.container)
    announce("made in \((Clock.nanoseconds() - start) / 1_000_000_000) s")
    return try [measureSaves(few, many), measureEvents(few, many)]
  }

  /// Measures saves in both containers alternately. The disk is still busy with earlier writes, and
  /// these writes should slow both containers equally.
  private func measureSaves(_ few: Requests, _ many: Requests) throws -> Row {
    var rates = (alone: 0.0, among: 0.0)
    var last = LoadGenerator.Load()
    for _ in 1...3 {
      rates.alone += try save(few).requestsPerSecond
      last = try save(many)
      rates.among += last.requestsPerSecond
    }
    var row = Row("modify-1 beside \(sizes.subscriptions) subscriptions", last)
    row.figure = rates.among / 3
    row.comparisons = [
      .init(
        name: "of the rate beside one", value: rates.among / rates.alone, goal: .atLeast(0.95))
    ]
    return row
  }

  /// Measures the time from a write to its event. Only the developer's account has a subscription
  /// for the records that this measurement saves.
  private func measureEvents(_ few: Requests, _ many: Requests) throws -> Row {
    let alone = try eventLatencies(few)
    let among = try eventLatencies(many)
    var row = Row(
      "write to event beside \(sizes.subscriptions) subscriptions", latencies: among,
      goals: [(0.5, "p50", 5), (0.99, "p99", 30)])
    let added = among.percentile(0.5) - alone.percentile(0.5)
    row.comparisons.append(
      .init(name: "ms more than beside one", value: Double(added) / 1e6, goal: .atMost(1)))
    return row
  }

  private func save(_ requests: Requests) throws -> LoadGenerator.Load {
    var next = UInt64(Clock.nanoseconds())
    let generator = LoadGenerator(
      server: server.process, connections: 64,
      bound: .seconds(warmUp: sizes.warmUpSeconds, measured: sizes.seconds),
      nextName: {
        next += 1
        return next
      })
    return try generator.run(try requests.saving(1, zone: Self.zone))
  }

  private func eventLatencies(_ requests: Requests) throws -> [Int64] {
    let exchange = try Exchange(port: server.process.port)
    _ = try exchange.send(requests.watching([SampleRecord.list]))
    var open = OpenStreams()
    defer { open.close() }
    try open.add(1, port: server.process.port) { _ in requests.stream(device: "other") }
    var latencies: [Int64] = []
    for write in 1...UInt64(sizes.events) {
      var request = try requests.saving(1, zone: Self.zone)
      request.setNames { (1 << 40) + write }
      let start = Clock.nanoseconds()
      _ = try exchange.send(request)
      try open.awaitAll()
      latencies.append(Clock.nanoseconds() - start)
    }
    return latencies.sorted()
  }

  /// Saves a record in a container's public database, so that the schema contains its record type.
  private func prepare(_ container: String) throws -> Requests {
    var requests = server.requests(container)
    requests.database = "public"
    var request = try requests.saving(1, zone: Self.zone)
    request.setNames { 0 }
    _ = try Exchange(port: server.process.port).send(request)
    return requests
  }

  /// Creates subscriptions. Each one is for a different value, which no record has.
  private func subscribe(_ count: Int, container: String) throws {
    let exchange = try Exchange(port: server.process.port)
    for first in stride(from: 0, to: count, by: Self.perUser) {
      var requests = try server.account("\(first)@\(container)", container: container)
      requests.database = "public"
      let end = min(first + Self.perUser, count)
      for start in stride(from: first, to: end, by: Self.perRequest) {
        let lists = (start..<min(start + Self.perRequest, end)).map { "list-\($0)" }
        _ = try exchange.send(requests.watching(lists))
      }
    }
  }
}

extension Requests {
  /// Returns a request that subscribes to the tasks of each list.
  fileprivate func watching(_ lists: [String]) -> RequestTemplate {
    request(
      ModifySubscriptions.self,
      .init(
        operations: lists.map { list in
          let filter = FieldFilter(.equals, QueryKey(field: "list"), .string(list))
          return .save(
            Subscription(
              id: list,
              .query(
                WatchedQuery(
                  query: Query(recordType: SampleRecord.recordType, filters: [.field(filter)]),
                  firesOn: .create))))
        }))
  }
}
