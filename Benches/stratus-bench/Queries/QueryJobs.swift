import Foundation
import StratusProgress
import StratusWire

/// Fills a container with items, and measures queries for these items.
struct QueryJobs {
  static let container = "iCloud.bench.query"
  static let zone = "items"

  let server: BenchServer
  let records: Int

  private var requests: Requests { server.requests(Self.container) }

  /// Saves the items over four connections, and waits until all indexes are built.
  ///
  /// - Parameter progress: shows how many items are saved, and how many are in the indexes.
  /// - Returns: the seconds for saving and for building the indexes, and the latencies of other
  ///   requests during the building.
  func prepare(_ progress: ProgressLine) throws -> Preparation {
    _ = try Exchange(port: server.process.port).send(requests.createZone(Self.zone))
    // The first record creates the fields in the schema, with their types and index marks.
    let filler = ItemLane(port: server.process.port, requests: requests, records: records)
    try filler.save(0..<1, on: Exchange(port: server.process.port))
    let start = Clock.nanoseconds()
    let lanes = 4
    progress.begin("saving items", total: Int64(records), unit: .count("items"))
    try Lanes().run(lanes) { try filler.fill($0, of: lanes, progress) }
    let middle = Clock.nanoseconds()
    progress.begin("building five indexes", total: Int64(records), unit: .count("items"))
    let waits = try buildAll(progress)
    return Preparation(
      saving: Double(middle - start) / 1e9, building: Double(Clock.nanoseconds() - middle) / 1e9,
      waits: waits)
  }

  struct Preparation {
    var saving: Double
    var building: Double
    /// The latencies of other requests in nanoseconds, sorted.
    var waits: [Int64]
  }

  /// Sends queries that need all indexes at the same time, as an app may do at its start.
  /// Meanwhile, saves records one by one.
  private func buildAll(_ progress: ProgressLine) throws -> [Int64] {
    let lanes = Lanes()
    let lane = ItemLane(port: server.process.port, requests: requests, records: records)
    let jobs = QueryJob.allCases
    let first = records
    try lanes.run(jobs.count + 1) { number in
      if number < jobs.count {
        defer { lanes.end() }
        // The indexes are built together, so the progress of one index is the progress of all.
        try lane.build(jobs[number]) {
          if number == 0 { progress.advance(by: Int64(Limits.indexBuildRequestRows)) }
        }
        return
      }
      let exchange = try Exchange(port: lane.port)
      var next = first
      while lanes.ended < jobs.count {
        lanes.note(wait: try lane.time(next, on: exchange))
        next += 1
      }
    }
    return lanes.waits.sorted()
  }

  /// Measures one kind of query.
  func measure(_ job: QueryJob, times: Int, round: Int) throws -> Row {
    let exchange = try Exchange(port: server.process.port)
    var latencies: [Int64] = []
    var found = 0
    let before = ProcessorTime.microseconds(of: server.process.processID) ?? 0
    for index in 0..<times {
      let query = job.query(UInt64(round * 1_000_000 + index))
      let template = requests.query(query, zone: Self.zone, limit: job.resultsLimit)
      let (body, nanoseconds) = try exchange.time(template)
      latencies.append(nanoseconds)
      if index == 0 {
        found = try QueryRecords.Response(jsonBytes: Array(body)).records.count
        if found == 0 { throw Failure("\(job.title) found nothing") }
      }
    }
    let after = ProcessorTime.microseconds(of: server.process.processID) ?? 0
    latencies.sort()
    var row = Row(
      "\(job.title) of \(records)", rate: Double(latencies.percentile(0.5)) / 1_000,
      unit: "µs, p50")
    row.processorMicroseconds = (after - before) / Double(times)
    row.comparisons = [
      .init(
        name: "ms, p99", value: Double(latencies.percentile(0.99)) / 1e6,
        goal: .atMost(job.goal))
    ]
    return row
  }
}

/// Saves items and waits for their indexes. Each thread uses a connection of its own.
private struct ItemLane: Sendable {
  let port: Int
  let requests: Requests
  let records: Int

  /// Saves every n-th batch of 400 items, where n is the number of threads (lanes).
  func fill(_ lane: Int, of lanes: Int, _ progress: ProgressLine) throws {
    let exchange = try Exchange(port: port)
    var next = 1 + lane * 400
    while next < records {
      try save(next..<min(next + 400, records), on: exchange)
      progress.advance(by: 400)
      next += lanes * 400
    }
  }

  func save(_ numbers: Range<Int>, on exchange: Exchange) throws {
    let operations = try numbers.map { number in
      RecordOperation(
        .create, recordName: RecordName.text(UInt64(number)),
        recordType: SampleItem.recordType,
        fields: try JSONView(parsing: SampleItem.fields(UInt64(number)).text))
    }
    _ = try exchange.send(requests.saving(operations, zone: QueryJobs.zone))
  }

  /// Repeats a query until its index is ready.
  ///
  /// - Parameter onStep: is called after each request that has built a part of the index.
  func build(_ job: QueryJob, onStep: () -> Void) throws {
    let exchange = try Exchange(port: port, acceptsRefusals: true)
    for _ in 0..<10_000 {
      let body = try exchange.send(requests.query(job.query(1), zone: QueryJobs.zone, limit: 1))
      let text = String(decoding: body.prefix(4_000), as: UTF8.self)
      if !text.contains("serverErrorCode") { return }
      guard text.contains("TRY_AGAIN_LATER") else { throw Failure("a query was refused: \(text)") }
      onStep()
    }
    throw Failure("an index is not complete after 10,000 requests")
  }

  /// Saves one item, and measures the time.
  ///
  /// - Returns: the time in nanoseconds.
  func time(_ number: Int, on exchange: Exchange) throws -> Int64 {
    let operation = RecordOperation(
      .create, recordName: RecordName.text(UInt64(number)), recordType: SampleItem.recordType,
      fields: try JSONView(parsing: SampleItem.fields(UInt64(number)).text))
    return try exchange.time(requests.saving([operation], zone: QueryJobs.zone)).1
  }
}

/// Runs several threads (lanes) at the same time, and combines their results.
///
/// NB: `@unchecked` is safe, because `lock` guards all other properties.
private final class Lanes: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<Void, any Error>] = []
  private var waited: [Int64] = []
  private var endedCount = 0

  var waits: [Int64] { lock.withLock { waited } }
  var ended: Int { lock.withLock { endedCount } }

  func note(wait: Int64) { lock.withLock { waited.append(wait) } }

  func end() { lock.withLock { endedCount += 1 } }

  /// Runs a body once for each thread, and waits for all threads.
  func run(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let group = DispatchGroup()
    for lane in 0..<count {
      group.enter()
      Thread.detachNewThread {
        let result = Result { try body(lane) }
        self.lock.withLock { self.results.append(result) }
        group.leave()
      }
    }
    group.wait()
    for result in lock.withLock({ results }) { try result.get() }
  }
}
