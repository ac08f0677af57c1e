import StratusWire
import Synchronization
import Testing

@testable import StratusDomain

@Suite struct `The request log` {
  private func entry(_ number: Int, outcome: String = "ok") -> RequestEntry {
    RequestEntry(
      requestID: "r\(number)", time: Int64(number), milliseconds: Int64(number), bytesIn: 1,
      bytesOut: 2, containerID: number.isMultiple(of: 2) ? "a" : "b", environment: .development,
      database: .public, endpoint: "records/query", outcome: outcome, steps: 3,
      userRecordName: number == 3 ? "_anna" : nil, deviceID: "d", app: "Notes/1")
  }

  private func log(_ count: Int, capacity: Int = 10) -> RequestLog {
    let log = RequestLog(capacity: capacity)
    log.keep()
    for number in 0..<count { log.append([entry(number)]) }
    return log
  }

  private func names(
    _ log: RequestLog, _ request: ListRequests.Request = .init()
  ) throws -> [String] {
    try log.list(request).requests.map(\.requestID)
  }

  @Test func `the request log lists the newest requests first`() throws {
    #expect(try names(log(3)) == ["r2", "r1", "r0"])
  }

  @Test func `the request log keeps only the newest requests`() throws {
    let log = log(25)
    #expect(try names(log) == (15..<25).reversed().map { "r\($0)" })
  }

  @Test func `each page of the request log begins where the page before it ended`() throws {
    let log = log(25)
    let first = try log.list(.init(resultsLimit: 4))
    #expect(first.requests.map(\.requestID) == ["r24", "r23", "r22", "r21"])
    log.append([entry(25)])
    let second = try log.list(.init(resultsLimit: 4, before: first.before))
    #expect(second.requests.map(\.requestID) == ["r20", "r19", "r18", "r17"])
    let last = try log.list(.init(resultsLimit: 9, before: second.before))
    #expect(last.requests.map(\.requestID) == ["r16"])
    #expect(last.before == nil)
  }

  @Test func `a page before the oldest request in the log is empty`() throws {
    let log = log(30)
    let answer = try log.list(.init(before: "5"))
    #expect(answer.requests == [])
    #expect(answer.before == nil)
  }

  @Test func `each filter of the request log leaves out requests that do not match it`() throws {
    let log = log(5)
    log.append([entry(7, outcome: "CONFLICT")])
    #expect(try names(log, .init(containerID: "a")) == ["r4", "r2", "r0"])
    #expect(try names(log, .init(environment: .production)) == [])
    #expect(try names(log, .init(endpoint: "records/modify")) == [])
    #expect(try names(log, .init(outcome: "failed")) == ["r7"])
    #expect(try names(log, .init(outcome: "CONFLICT")) == ["r7"])
    #expect(try names(log, .init(outcome: "ok")).count == 5)
    #expect(try names(log, .init(userRecordName: "_anna")) == ["r3"])
    #expect(try names(log, .init(requestID: "r2")) == ["r2"])
    #expect(try names(log, .init(millisecondsMin: 4)) == ["r7", "r4"])
  }

  @Test(arguments: [
    ListRequests.Request(resultsLimit: 0), .init(resultsLimit: 1_001), .init(before: "x"),
    .init(before: "-1"),
  ])
  func `the request log refuses a malformed request`(_ request: ListRequests.Request) {
    #expect(throws: ServerError.self) { try log(3).list(request) }
  }

  @Test func `a request log that is off keeps nothing and says how to switch it on`() {
    let log = RequestLog(capacity: 10)
    log.append([entry(1)])
    let error = #expect(throws: ServerError.self) { try log.list(.init()) }
    #expect(error?.reason.contains("--console-port") == true)
  }

  @Test func `a listener of the request log gets only later requests`() async throws {
    let log = log(2)
    var iterator = log.listen(entriesPerSecondMax: 20) { _ in true }.makeAsyncIterator()
    log.append([entry(5), entry(6)])
    #expect(await iterator.next()?.entries.map(\.requestID) == ["r5", "r6"])
  }

  /// The number of an entry is also its time in milliseconds.
  @Test(.timeLimit(.minutes(1)))
  func `a listener of the request log gets a bounded number of entries in each second`() async {
    let log = log(0)
    var iterator = log.listen(entriesPerSecondMax: 2) { _ in true }.makeAsyncIterator()
    log.append((0..<4).map { entry($0) })
    log.append([entry(999)])
    // These requests took longer than the one after them, and arrived before it.
    log.append([entry(1_000), entry(998), entry(997)])
    log.append([entry(2_000), entry(3_000)])
    var batches: [RequestBatch] = []
    while batches.count < 3, let batch = await iterator.next() { batches.append(batch) }
    #expect(
      batches.map { $0.entries.map(\.requestID) }
        == [["r0", "r1"], ["r1000", "r998"], ["r2000", "r3000"]])
    #expect(batches.map(\.skippedCount) == [0, 3, 1])
  }

  /// The number of an entry is also its time in milliseconds.
  @Test(.timeLimit(.minutes(1)))
  func `a listener of the request log gets entries also after the clock was set back`() async {
    let log = log(0)
    var iterator = log.listen(entriesPerSecondMax: 2) { _ in true }.makeAsyncIterator()
    // The second of these requests took a minute.
    log.append([entry(200_000), entry(140_000), entry(200_001)])
    log.append([entry(139_000), entry(139_001), entry(139_002)])
    log.append([entry(140_000)])
    var batches: [RequestBatch] = []
    while batches.count < 3, let batch = await iterator.next() { batches.append(batch) }
    #expect(
      batches.map { $0.entries.map(\.requestID) }
        == [["r200000", "r140000"], ["r139000", "r139001"], ["r140000"]])
    #expect(batches.map(\.skippedCount) == [0, 1, 1])
  }

  @Test(.timeLimit(.minutes(1)))
  func `a listener of the request log gets and counts only requests that it may show`() async {
    let log = log(0)
    // The numbers of the entries of this container are odd.
    var iterator = log.listen(entriesPerSecondMax: 2) { $0 == "b" }.makeAsyncIterator()
    log.append([entry(0), entry(2)])
    log.append((0..<10).map { entry($0) })
    log.append([entry(1_001)])
    var batches: [RequestBatch] = []
    while batches.count < 2, let batch = await iterator.next() { batches.append(batch) }
    #expect(batches.map { $0.entries.map(\.requestID) } == [["r1", "r3"], ["r1001"]])
    #expect(batches.map(\.skippedCount) == [0, 3])
  }

  @Test func `a caller that follows the log gets the later requests, the oldest first`() throws {
    let log = log(5)
    let first = try log.list(.init(resultsLimit: 1))
    #expect(first.after == "5")
    #expect(try log.list(.init(after: "5")).requests == [])
    for number in 5..<8 { log.append([entry(number)]) }
    let next = try log.list(.init(resultsLimit: 2, after: "5"))
    #expect(next.requests.map(\.requestID) == ["r5", "r6"])
    #expect(next.after == "7" && next.skippedCount == 0)
    for number in 8..<30 { log.append([entry(number)]) }
    let late = try log.list(.init(resultsLimit: 1, after: "7"))
    #expect(late.requests.map(\.requestID) == ["r20"])
    #expect(late.skippedCount == 13)
  }

  @Test
  func `a request log that is kept only for followers stops a minute after their last request`()
    throws
  {
    let log = RequestLog(capacity: 10)
    log.append([entry(1)])
    #expect(!log.isKept)
    log.follow(at: 1_000)
    log.append([entry(61_000)])
    #expect(try names(log) == ["r61000"])
    log.append([entry(61_000), entry(61_001), entry(61_002)])
    #expect(!log.isKept)
    #expect(try log.telemetry.fetch(.init()).points.map(\.count).reduce(0, +) == 2)
  }

  @Test func `a request log with an archive continues its numbers and pages after a restart`()
    throws
  {
    let archive = MemoryArchive()
    let before = RequestLog(capacity: 10, archive: archive)
    before.keep()
    for number in 0..<7 { before.append([entry(number)]) }
    try before.save()
    for number in 7..<9 { before.append([entry(number)]) }
    try before.save()
    try before.save()
    let log = RequestLog(capacity: 10, archive: archive)
    log.keep()
    for number in 9..<12 { log.append([entry(number)]) }
    let first = try log.list(.init(resultsLimit: 4))
    #expect(first.requests.map(\.requestID) == ["r11", "r10", "r9", "r8"])
    let second = try log.list(.init(resultsLimit: 5, before: first.before))
    #expect(second.requests.map(\.requestID) == ["r7", "r6", "r5", "r4", "r3"])
    let third = try log.list(.init(resultsLimit: 5, before: second.before))
    #expect(third.requests.map(\.requestID) == ["r2", "r1", "r0"])
    #expect(third.before == nil)
  }

  @Test func `requests that the archive could not take are saved by the next attempt`() throws {
    let archive = MemoryArchive()
    let log = RequestLog(capacity: 10, archive: archive)
    log.keep()
    log.append([entry(0)])
    archive.isBroken.store(true, ordering: .relaxed)
    #expect(throws: ServerError.self) { try log.save() }
    archive.isBroken.store(false, ordering: .relaxed)
    for number in 1..<13 { log.append([entry(number)]) }
    try log.save()
    // The log keeps 10 of the 13 entries in memory, so three are lost.
    #expect(archive.names == (3..<13).map { "r\($0)" })
  }

  @Test func `telemetry counts the requests before a restart`() throws {
    let archive = MemoryArchive()
    let before = RequestLog(capacity: 10, archive: archive)
    before.keep()
    for number in 0..<7 { before.append([entry(number)]) }
    try before.save()
    let log = RequestLog(capacity: 10, archive: archive)
    log.keep()
    log.append([entry(7)])
    try log.recount(since: 5)
    #expect(try log.telemetry.fetch(.init()).points.map(\.count).reduce(0, +) == 3)
  }

  /// The ring of the log has three places, so most entries replace a longer or a shorter one.
  @Test func `an entry in the request log is the same whichever entry it has replaced`() throws {
    let log = RequestLog(capacity: 3)
    log.keep()
    let entries = [1, 3_000, 40, 2, 700, 5_000, 0, 1].enumerated().map { number, length in
      RequestEntry(
        requestID: "r\(number)", time: Int64(number), milliseconds: 0, bytesIn: 1, bytesOut: 2,
        containerID: String(repeating: "c", count: length), environment: .production,
        database: .shared, endpoint: "records/query", outcome: "ok", steps: 3,
        userRecordName: nil, deviceID: "d", app: "\"\n")
    }
    for (number, entry) in entries.enumerated() {
      log.append([entry])
      let newest = try log.list(.init(resultsLimit: 3)).requests
      #expect(newest == Array(entries[max(0, number - 2)...number].reversed()))
    }
  }

  @Test func `the request log does not keep the memory of an unusually long entry`() {
    func entry(_ length: Int) -> RequestEntry {
      RequestEntry(
        requestID: "r", time: 1, milliseconds: 0, bytesIn: 1, bytesOut: 2,
        containerID: String(repeating: "c", count: length), environment: .production,
        database: .shared, endpoint: "records/query", outcome: "ok", steps: 3,
        userRecordName: nil, deviceID: "d", app: "")
    }
    var writer = JSONWriter()
    var written = WrittenEntry(entry(100_000), &writer)
    written.replace(by: entry(10), &writer)
    #expect(written.entry == entry(10))
    #expect(written.json.capacity < 4_096)
  }

  @Test func `an entry of the request log is the same after it was written and read`() throws {
    let entry = RequestEntry(
      requestID: "r3", time: 3, milliseconds: 4, bytesIn: 1, bytesOut: 2, containerID: "a",
      environment: .development, database: .public, endpoint: "records/query", outcome: "ok",
      steps: 3, userRecordName: "_anna", deviceID: "d", app: "Notes/1", reason: "Field '…'",
      query: "Note where title EQUALS",
      plan: QueryExplanation(
        plan: "scan", index: "title", ranges: 1, remainingFilters: [], entriesRead: 2,
        recordsRead: 3))
    #expect(try RequestEntry(json: JSONView(parsing: entry.jsonBytes)) == entry)
  }
}

/// An archive in memory. Each call of `append` makes a piece.
private final class MemoryArchive: RequestArchive {
  private let pieces = Mutex<[ArchivePiece]>([])
  let isBroken = Atomic(false)

  var names: [String] { pieces.withLock { $0.flatMap(\.entries).map(\.requestID) } }

  var nextNumber: Int { pieces.withLock { $0.last.map { $0.first + $0.entries.count } ?? 0 } }

  func append(_ entries: [WrittenEntry], first: Int) throws(ServerError) {
    if isBroken.load(ordering: .relaxed) { throw .fault("the disk is full") }
    let piece = ArchivePiece(first: first, entries: entries.compactMap(\.entry))
    pieces.withLock { $0.append(piece) }
  }

  func piece(before number: Int) throws(ServerError) -> ArchivePiece? {
    pieces.withLock { $0.last { $0.first < number } }
  }
}
