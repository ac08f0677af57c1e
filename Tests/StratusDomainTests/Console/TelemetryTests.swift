import StratusWire
import Testing

@testable import StratusDomain

@Suite struct `The telemetry of requests` {
  private func entry(
    minute: Int64, milliseconds: Int64 = 1, endpoint: String = "records/query",
    outcome: String = "ok", container: String = "a"
  ) -> RequestEntry {
    RequestEntry(
      requestID: "r", time: minute * 60_000 + 7, milliseconds: milliseconds, bytesIn: 10,
      bytesOut: 20, containerID: container, environment: .development, database: .public,
      endpoint: endpoint, outcome: outcome, steps: 3, userRecordName: nil, deviceID: "d",
      app: "Notes/1")
  }

  @Test func `telemetry counts the requests of each minute and endpoint`() throws {
    let telemetry = Telemetry()
    telemetry.add([entry(minute: 100, milliseconds: 1)])
    telemetry.add([entry(minute: 100, milliseconds: 150, outcome: "CONFLICT")])
    telemetry.add([entry(minute: 100, endpoint: "records/modify")])
    telemetry.add([entry(minute: 101, milliseconds: 9_000)])
    let points = try telemetry.fetch(.init()).points
    #expect(points.map(\.time) == [6_000_000, 6_000_000, 6_060_000])
    #expect(points.map(\.endpoint) == ["records/modify", "records/query", "records/query"])
    #expect(points[1].count == 2 && points[1].failedCount == 1)
    #expect(points[1].milliseconds == 151)
    #expect(points[1].bytesIn == 20 && points[1].bytesOut == 40)
    // 1 ms is in the first class, and 150 ms in the class up to 200 ms.
    #expect(points[1].durations == [1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    #expect(points[2].durations == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  }

  @Test
  func `each point of telemetry counts the requests of the requested number of minutes`() throws {
    let telemetry = Telemetry()
    for minute: Int64 in [118, 119, 120, 121, 134] { telemetry.add([entry(minute: minute)]) }
    let points = try telemetry.fetch(.init(minutesPerPoint: 15)).points
    #expect(points.map(\.time) == [105 * 60_000, 120 * 60_000])
    #expect(points.map(\.count) == [2, 3])
  }

  @Test func `telemetry with a filter counts only the requests that match the filter`() throws {
    let telemetry = Telemetry()
    telemetry.add([entry(minute: 10)])
    telemetry.add([entry(minute: 11, endpoint: "records/modify")])
    telemetry.add([entry(minute: 12, container: "b")])
    func times(_ request: FetchTelemetry.Request) throws -> [Int64] {
      try telemetry.fetch(request).points.map { $0.time / 60_000 }
    }
    #expect(try times(.init(containerID: "a")) == [10, 11])
    #expect(try times(.init(environment: .production)) == [])
    #expect(try times(.init(endpoint: "records/query")) == [10, 12])
    #expect(try times(.init(from: 11 * 60_000)) == [11, 12])
    #expect(try times(.init(to: 11 * 60_000)) == [10, 11])
    #expect(try telemetry.fetch(.init(containerID: "b")).since == 600_000)
  }

  @Test func `telemetry keeps one day, and only the newest points if there are too many`() throws {
    let day = Telemetry()
    for minute: Int64 in [0, 1, 1_440] { day.add([entry(minute: minute)]) }
    #expect(try day.fetch(.init()).points.map(\.time) == [60_000, 1_440 * 60_000])
    let small = Telemetry(pointsMax: 3)
    for minute: Int64 in 0..<10 { small.add([entry(minute: minute)]) }
    #expect(try small.fetch(.init()).points.map { $0.time / 60_000 } == [7, 8, 9])
  }

  @Test func `telemetry counts requests without valid tokens together, for all containers`() throws
  {
    let telemetry = Telemetry()
    for number in 0..<100 {
      telemetry.add([
        entry(minute: 1, outcome: "AUTHENTICATION_FAILED", container: "iCloud.\(number)")
      ])
    }
    let points = try telemetry.fetch(.init()).points
    #expect(points.map(\.containerID) == ["(without valid tokens)"])
    #expect(points.first?.count == 100)
  }

  @Test(arguments: [0, 1_441, -1] as [Int64])
  func `telemetry refuses points of less than a minute or more than a day`(_ minutes: Int64) {
    #expect(throws: ServerError.self) { try Telemetry().fetch(.init(minutesPerPoint: minutes)) }
  }

  @Test func `an answer with telemetry is the same after its JSON is written and read`() throws {
    let telemetry = Telemetry()
    telemetry.add([entry(minute: 100, milliseconds: 150, outcome: "CONFLICT")])
    let answer = try telemetry.fetch(.init())
    let read = try FetchTelemetry.Response(json: JSONView(parsing: answer.jsonBytes))
    #expect(read.points == answer.points && read.since == answer.since)
  }
}
