import StratusWire
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
    for number in 0..<count { log.append(entry(number)) }
    return log
  }

  private func names(
    _ log: RequestLog, _ request: ListRequests.Request = .init()
  ) throws -> [String] {
    try log.list(request).requests.map(\.requestID)
  }

  @Test func `the newest requests come first`() throws {
    #expect(try names(log(3)) == ["r2", "r1", "r0"])
  }

  @Test func `only the newest requests are kept`() throws {
    let log = log(25)
    #expect(try names(log) == (15..<25).reversed().map { "r\($0)" })
  }

  @Test func `pages continue at the position of the answer before`() throws {
    let log = log(25)
    let first = try log.list(.init(resultsLimit: 4))
    #expect(first.requests.map(\.requestID) == ["r24", "r23", "r22", "r21"])
    log.append(entry(25))
    let second = try log.list(.init(resultsLimit: 4, before: first.before))
    #expect(second.requests.map(\.requestID) == ["r20", "r19", "r18", "r17"])
    let last = try log.list(.init(resultsLimit: 9, before: second.before))
    #expect(last.requests.map(\.requestID) == ["r16"])
    #expect(last.before == nil)
  }

  @Test func `a position that the log has left behind gives an empty page`() throws {
    let log = log(30)
    let answer = try log.list(.init(before: "5"))
    #expect(answer.requests == [])
    #expect(answer.before == nil)
  }

  @Test func `each filter leaves out other requests`() throws {
    let log = log(5)
    log.append(entry(7, outcome: "CONFLICT"))
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
  func `bad input is refused`(_ request: ListRequests.Request) {
    #expect(throws: ServerError.self) { try log(3).list(request) }
  }

  @Test func `a log that is off keeps nothing and says how to switch it on`() {
    let log = RequestLog(capacity: 10)
    log.append(entry(1))
    let error = #expect(throws: ServerError.self) { try log.list(.init()) }
    #expect(error?.reason.contains("--console-port") == true)
  }

  @Test func `a listener gets the requests from now on`() async throws {
    let log = log(2)
    var iterator = log.listen().makeAsyncIterator()
    log.append(entry(5))
    #expect(await iterator.next()?.requestID == "r5")
  }

  @Test func `an entry is the same after it was written and read`() throws {
    let entry = entry(3)
    #expect(try RequestEntry(json: JSONView(parsing: entry.jsonBytes)) == entry)
  }
}
