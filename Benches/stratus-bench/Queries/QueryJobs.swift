import Foundation
import StratusWire

/// Fills a container with items, and measures queries of them.
struct QueryJobs {
  static let container = "iCloud.bench.query"
  static let zone = "items"

  let server: BenchServer
  let records: Int

  private var requests: Requests { server.requests(Self.container) }

  /// Saves the items, four connections at once, and has every index built.
  ///
  /// - Returns: seconds the saving took, and the building.
  func prepare() throws -> (saving: Double, building: Double) {
    _ = try Exchange(port: server.process.port).send(requests.createZone(Self.zone))
    // The field's type and marks come with the first record.
    let filler = ItemFiller(port: server.process.port, requests: requests, records: records)
    try filler.save(0..<1, on: Exchange(port: server.process.port))
    let start = Clock.nanoseconds()
    let lanes = 4
    let outcome = Lanes()
    DispatchQueue.concurrentPerform(iterations: lanes) { lane in
      outcome.note(Result { try filler.fill(lane, of: lanes) })
    }
    try outcome.check()
    let middle = Clock.nanoseconds()
    for job in QueryJob.allCases { try build(job) }
    return (Double(middle - start) / 1e9, Double(Clock.nanoseconds() - middle) / 1e9)
  }

  /// Asks until the index is there.
  private func build(_ job: QueryJob) throws {
    let exchange = try Exchange(port: server.process.port, acceptsRefusals: true)
    for _ in 0..<10_000 {
      let body = try exchange.send(requests.query(job.query(1), zone: Self.zone, limit: 1))
      let text = String(decoding: body.prefix(4_000), as: UTF8.self)
      if !text.contains("serverErrorCode") { return }
      guard text.contains("TRY_AGAIN_LATER") else { throw Failure("a query was refused: \(text)") }
    }
    throw Failure("an index is not built after 10,000 requests")
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

/// Saves items over one connection or several.
private struct ItemFiller: Sendable {
  let port: Int
  let requests: Requests
  let records: Int

  /// Saves every so many-th batch of 400.
  func fill(_ lane: Int, of lanes: Int) throws {
    let exchange = try Exchange(port: port)
    var next = 1 + lane * 400
    while next < records {
      try save(next..<min(next + 400, records), on: exchange)
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
}

/// What the lanes of a fill came to.
///
/// NB: unchecked; `lock` guards the rest.
private final class Lanes: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Result<Void, any Error>] = []

  func note(_ result: Result<Void, any Error>) { lock.withLock { results.append(result) } }

  func check() throws { for result in results { try result.get() } }
}
