import Foundation
import StratusProgress

/// Measures all jobs except `memory`, and the floors (simpler measurements for comparison), round
/// after round.
final class Jobs {
  private static let readContainer = "iCloud.bench.read"
  private static let pulledZone = "pulled"
  private static let largeZone = "large"
  private static let smallZone = "small"
  private static let smallZoneRecords = 1_000

  private let sizes: Sizes
  private let folder: String
  private let server: BenchServer
  private let floor: ServerProcess
  private let children: Children
  /// Shows how many jobs are done.
  private let progress: ProgressLine
  /// Is called with the name of each step.
  private let announce: (String) -> Void
  private var round = 0

  /// Starts the servers and fills the zones.
  init(
    sizes: Sizes, folder: String, serverProgram: String, benchProgram: String,
    progress: ProgressLine, announce: @escaping (String) -> Void
  ) throws {
    self.sizes = sizes
    self.folder = folder
    self.progress = progress
    self.announce = announce
    children = Children(program: benchProgram, server: serverProgram)
    server = try BenchServer(program: serverProgram, folder: folder)
    floor = try ServerProcess(
      program: benchProgram, arguments: ["fixed-answer"], log: folder + "/floor.log")
    for (zone, records) in [
      (Self.pulledZone, sizes.pulledRecords), (Self.largeZone, sizes.largeZoneRecords),
      (Self.smallZone, Self.smallZoneRecords),
    ] {
      announce("filling a zone with \(records) records")
      progress.begin("filling a zone", total: Int64(records), unit: .count("records"))
      try server.fill(zone, container: Self.readContainer, records: records) {
        progress.advance(by: 1)
      }
    }
    if sizes.queriedRecords > 0 {
      announce("filling a zone with \(sizes.queriedRecords) items")
      let took = try queries.prepare(progress)
      announce(
        "items saved in \(Int(took.saving)) s, five indexes built in \(Int(took.building)) s")
      announce(
        "meanwhile \(took.waits.count) saves, p50 \(took.waits.percentile(0.5) / 1_000) µs, p99 "
          + "\(took.waits.percentile(0.99) / 1_000) µs, at most "
          + "\((took.waits.last ?? 0) / 1_000) µs")
    }
  }

  private var queries: QueryJobs { QueryJobs(server: server, records: sizes.queriedRecords) }

  /// Stops the servers.
  func stop() {
    server.process.stop()
    floor.stop()
  }

  /// The number of bytes of memory that the server uses.
  var residentBytes: Int { server.process.residentBytes }

  /// Measures all wanted jobs once.
  func measureRound(only wanted: Set<Job>) throws -> [Row] {
    round += 1
    var rows: [Row] = []
    if !wanted.isDisjoint(with: [.lookup, .poll, .modifyOne]) {
      rows += try measureSmallRequests(wanted)
    }
    if wanted.contains(.modifyMany) { rows += try whole(measureLargeModify) }
    if wanted.contains(.pull) { rows += try whole(measurePull) }
    if wanted.contains(.oneChange) { rows += try whole(measureOneChange) }
    if wanted.contains(.query) {
      defer { progress.advance(by: 1) }
      for job in QueryJob.allCases {
        announce("round \(round): \(job.title)")
        rows.append(try queries.measure(job, times: sizes.queries, round: round))
      }
    }
    if wanted.contains(.rows) {
      rows += try whole { [try Amplification.measure(server, round: round)] }
    }
    if wanted.contains(.asset) {
      defer { progress.advance(by: 1) }
      announce("round \(round): an asset of \(sizes.assetBytes >> 20) MiB")
      rows += try AssetJobs(server: server, folder: folder, size: sizes.assetBytes)
        .measure(round: round)
    }
    rows += try measureDevices(wanted)
    return rows
  }

  /// Measures a job, and counts it as done.
  private func whole(_ job: () throws -> [Row]) rethrows -> [Row] {
    defer { progress.advance(by: 1) }
    return try job()
  }

  private func measureDevices(_ wanted: Set<Job>) throws -> [Row] {
    var rows: [Row] = []
    if wanted.contains(.push) {
      defer { progress.advance(by: 1) }
      announce("round \(round): streams")
      rows += try PushJobs(server: server, sizes: sizes, children: children)
        .measure(round: round)
    }
    if wanted.contains(.subscriptions) {
      rows += try whole {
        try SubscriptionJobs(server: server, sizes: sizes).measure(round: round, announce)
      }
    }
    if wanted.contains(.sharing) {
      rows += try whole {
        try SharingJobs(
          server: server, sizes: sizes, large: (Self.readContainer, Self.largeZone),
          round: round, announce: announce
        ).measure()
      }
    }
    if wanted.contains(.neighbours) {
      rows += try NeighbourJobs(
        children: children, sizes: sizes, folder: "\(folder)/neighbours-\(round)"
      ).measure(announce)
    }
    if wanted.contains(.sync) {
      defer { progress.advance(by: 1) }
      announce("round \(round): sync of \(sizes.syncedRecords) records")
      let figures = try children.runAtOnce(1, ["sync", "--records", "\(sizes.syncedRecords)"])[0]
      for (name, key, goal) in [("up", "upSeconds", 8.0), ("down", "downSeconds", 4.0)] {
        var row = Row(
          "\(sizes.syncedRecords) records \(name) by CKSyncEngine", rate: figures[key] ?? .infinity,
          unit: "s")
        let most = goal * Double(sizes.syncedRecords) / 100_000
        row.comparisons = [.init(name: "s", value: row.figure, goal: .atMost(most))]
        rows.append(row)
      }
    }
    return rows
  }

  private func measureSmallRequests(_ wanted: Set<Job>) throws -> [Row] {
    announce("round \(round): H")
    let fixed = RequestTemplate(path: "/", body: FixedAnswer.body)
    let floorLoad = try generator(on: floor).run(fixed)
    var rows = [Row("H: a fixed answer", floorLoad)]
    let requests = server.requests(Self.readContainer)
    if wanted.contains(.lookup) {
      defer { progress.advance(by: 1) }
      announce("round \(round): lookup of 1 record")
      let load = try generator(names: .stored(below: sizes.pulledRecords))
        .run(requests.lookup(zone: Self.pulledZone))
      rows.append(Row("lookup of 1 record", load, [.ratio(load, "H", floorLoad, atLeast: 0.55)]))
    }
    if wanted.contains(.poll) {
      defer { progress.advance(by: 1) }
      announce("round \(round): empty poll")
      let token = try Follower(
        port: server.process.port, requests: requests, zone: Self.smallZone
      ).pull().syncToken
      let load = try generator().run(requests.changes(zone: Self.smallZone, since: token))
      rows.append(Row("zone changes, none", load, [.ratio(load, "H", floorLoad)]))
    }
    if wanted.contains(.modifyOne) {
      defer { progress.advance(by: 1) }
      let floorRate = try rawInserts(rowsPerTransaction: 1)
      announce("round \(round): modify, 1 record a request")
      let load = try modify(1, connections: 64)
      rows.append(Row("S1: a row, raw SQLite", rate: floorRate, unit: "rows/s"))
      rows.append(
        Row(
          "modify, 1 record a request", load,
          [
            .ratio(load, "H", floorLoad, atLeast: 0.35),
            .init(
              name: "of S1", value: load.requestsPerSecond / floorRate, goal: .atLeast(1.5)),
          ]))
    }
    return rows
  }

  private func measureLargeModify() throws -> [Row] {
    let floorRate = try rawInserts(rowsPerTransaction: 200)
    var rows = [Row("S200: 200 rows, raw SQLite", rate: floorRate, unit: "rows/s")]
    for connections in [1, 4] {
      announce("round \(round): modify, 200 records a request, \(connections) at once")
      let load = try modify(200, connections: connections)
      let rate = load.requestsPerSecond * 200
      var row = Row(
        "modify, 200 records a request, \(connections) connection\(connections > 1 ? "s" : "")",
        rate: rate, unit: "records/s")
      row.processorMicroseconds = load.processorTimePerRequest / 200
      row.comparisons = [
        .init(
          name: "of S200", value: rate / floorRate,
          goal: connections > 1 ? .atLeast(0.40) : nil)
      ]
      rows.append(row)
    }
    return rows
  }

  private func measurePull() throws -> [Row] {
    announce("round \(round): SS")
    let floorRate = try RawSQLite(path: server.storePath(Self.readContainer))
      .scanRecords(limit: sizes.pulledRecords)
    var rows = [Row("SS: a scan, raw SQLite", rate: floorRate, unit: "rows/s")]
    let follower = Follower(
      port: server.process.port, requests: server.requests(Self.readContainer),
      zone: Self.pulledZone)
    var records = 0
    if round == 1 {
      let whole = try follower.pull { records += try Page.records($0) }
      if records != sizes.pulledRecords {
        throw Failure("a pull of \(whole.pages) pages had \(records) records")
      }
    }
    for followers in [1, 4] {
      announce("round \(round): full pull, \(followers) at once")
      let before = ProcessorTime.microseconds(of: server.process.processID) ?? 0
      let pull = try follower.pull(followers: followers)
      let after = ProcessorTime.microseconds(of: server.process.processID) ?? 0
      let count = Double(sizes.pulledRecords * followers)
      let rate = count / pull.seconds
      var row = Row(
        "full pull, \(followers) follower\(followers > 1 ? "s" : "")", rate: rate,
        unit: "records/s")
      row.processorMicroseconds = (after - before) / count
      row.comparisons = [
        .init(name: "of SS", value: rate / floorRate, goal: .atLeast(0.25)),
        .init(
          name: "MB/s of JSON", value: Double(pull.bytes) / pull.seconds / 1e6,
          goal: .atLeast(150)),
      ]
      rows.append(row)
    }
    return rows
  }

  private func measureOneChange() throws -> [Row] {
    announce("round \(round): zone changes, 1 change")
    var probes = try [Self.smallZone, Self.largeZone].map {
      try ChangeProbe(
        port: server.process.port, requests: server.requests(Self.readContainer), zone: $0,
        firstName: 1 << 32 + UInt64(round) << 24)
    }
    for _ in 0..<sizes.changes {
      for index in probes.indices { try probes[index].changeAndFetch() }
    }
    let (small, large) = (probes[0].sortedLatencies, probes[1].sortedLatencies)
    let title = "zone changes, 1 change in a zone of "
    var row = Row(
      title + "\(sizes.largeZoneRecords)", rate: Double(large.percentile(0.5)) / 1_000,
      unit: "µs, p50")
    func ratio(_ share: Double) -> Double {
      Double(large.percentile(share)) / Double(max(1, small.percentile(share)))
    }
    row.comparisons = [
      .init(
        name: "ms, p99", value: Double(large.percentile(0.99)) / 1e6, goal: .atMost(2)),
      .init(
        name: "of p50 in a zone of \(Self.smallZoneRecords)", value: ratio(0.5),
        goal: .atMost(1.1)),
      .init(
        name: "of p99 in a zone of \(Self.smallZoneRecords)", value: ratio(0.99),
        goal: .atMost(1.1)),
    ]
    let other = Row(
      title + "\(Self.smallZoneRecords)", rate: Double(small.percentile(0.5)) / 1_000,
      unit: "µs, p50")
    return [other, row]
  }

  /// Saves records in a new container. Its store file is therefore almost empty at first, like the
  /// file of the raw SQLite inserts with which the result is compared.
  private func modify(_ count: Int, connections: Int) throws -> LoadGenerator.Load {
    let container = "iCloud.bench.modify.r\(round).n\(count).c\(connections)"
    try server.fillIndexed("written", container: container, records: 0)
    return try generator(connections: connections, names: .new)
      .run(try server.requests(container).saving(count, zone: "written"))
  }

  private func rawInserts(rowsPerTransaction: Int) throws(Failure) -> Double {
    announce("round \(round): S\(rowsPerTransaction)")
    let database = try RawSQLite(path: "\(folder)/raw-\(round)-\(rowsPerTransaction).sqlite")
    try database.prepareRecords()
    return try database.insert(
      rowsPerTransaction: rowsPerTransaction, seconds: sizes.seconds)
  }

  private enum Names {
    case new
    case stored(below: Int)
  }

  private func generator(
    on process: ServerProcess? = nil, connections: Int = 64, names: Names = .new
  ) -> LoadGenerator {
    var next: UInt64 = 0
    return LoadGenerator(
      server: process ?? server.process, connections: connections,
      bound: .seconds(warmUp: sizes.warmUpSeconds, measured: sizes.seconds),
      nextName: {
        next += 1
        switch names {
        case .new: return next
        case .stored(let count): return RecordName.scatter(next) % UInt64(count)
        }
      })
  }
}
