import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusHTTP

@Suite struct `The report of a request` {
  private final class Reports: RequestObserver {
    let details = ReportDetails(hasTraceParents: true, hasQueries: true, plansFrom: 0)
    private let all = Mutex<[RequestReport]>([])

    func note(_ reports: [RequestReport]) { all.withLock { $0 += reports } }

    var noted: [RequestReport] { all.withLock { $0 } }
  }

  /// A router, and the observer of its requests.
  private struct Watch {
    let router: Router
    private let reports = Reports()

    init(_ router: Router) {
      self.router = router
      router.reports.add(reports)
    }

    /// The report of the last request.
    var last: RequestReport? {
      router.reports.flush()
      return reports.noted.last
    }
  }

  /// A full queue is one with three reports, so most of these requests pass the reports on.
  @Test func `each observer gets each report once, also from requests at the same time`() async {
    let queue = ReportQueue(waitingMax: 3)
    let observers = [Reports(), Reports()]
    for observer in observers { queue.add(observer) }
    let caller = Caller(userRecordName: nil, deviceID: "", requestUUID: "")
    let head = HTTPRequest(method: .get, scheme: nil, authority: nil, path: "/")
    let count = 2_000
    await withTaskGroup { group in
      for number in 0..<count {
        group.addTask {
          queue.add(
            RequestReport(
              requestID: "r\(number)", status: 200, beganAt: 1, endedAt: 2, nanoseconds: 0,
              bytesIn: 0, bytesOut: 0, route: "home", address: nil, refusal: nil,
              caller: caller, app: "", head: head, details: ReportDetails()))
        }
      }
    }
    queue.flush()
    let names = Set((0..<count).map { "r\($0)" })
    let ids = observers.map { $0.noted.map(\.requestID) }
    #expect(ids[0].count == count && Set(ids[0]) == names)
    #expect(ids[1] == ids[0])
  }

  /// An observer that reads some parts of reports.
  private final class Reader: RequestObserver {
    private let wanted: Mutex<ReportDetails>

    init(_ details: ReportDetails) { wanted = Mutex(details) }

    var details: ReportDetails { wanted.withLock { $0 } }

    func want(_ details: ReportDetails) { wanted.withLock { $0 = details } }

    func note(_ reports: [RequestReport]) {}
  }

  @Test(arguments: [
    ReportDetails(), ReportDetails(hasTraceParents: true), ReportDetails(hasQueries: true),
    ReportDetails(plansFrom: 0), ReportDetails(plansFrom: 1),
    ReportDetails(hasTraceParents: true, hasQueries: true, plansFrom: 3_600_000),
  ])
  func `a queue of reports knows which parts of reports its observer reads`(
    _ wanted: ReportDetails
  ) {
    let queue = ReportQueue()
    #expect(queue.details == nil)
    queue.add(Reader(wanted))
    #expect(queue.details == wanted)
  }

  @Test func `a queue of reports makes each part that at least one observer reads`() {
    let queue = ReportQueue()
    let second = Reader(ReportDetails(plansFrom: 300))
    queue.add(Reader(ReportDetails(hasQueries: true, plansFrom: 200)))
    queue.add(second)
    #expect(queue.details == ReportDetails(hasQueries: true, plansFrom: 200))
    second.want(ReportDetails(hasTraceParents: true, plansFrom: 100))
    queue.readDetails()
    #expect(
      queue.details == ReportDetails(hasTraceParents: true, hasQueries: true, plansFrom: 100))
  }

  @Test func `reports have the forms of queries while a caller follows the request log`()
    async throws
  {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.save("n-1")
      let reports = server.router.reports
      #expect(reports.details == ReportDetails())
      try await server.manage("requests/list", ["follows": true])
      #expect(
        reports.details
          == ReportDetails(hasQueries: true, plansFrom: Limits.slowQueryMilliseconds))
      clock.move(bySeconds: 61)
      _ = try await anna.post("users/caller")
      reports.flush()
      #expect(reports.details == ReportDetails())
    }
  }

  @Test(arguments: [
    ("/", "home"), ("/health", "health"), ("/health/ready", "health"), ("/nothing", "unknown"),
    ("/openapi.json", "openapi"),
    ("/auth/x", "page"), ("/assets/download/x", "assets/download/bytes"),
    ("/management/1/containers/list", "management"), ("/management/1/canary", "unknown"),
    ("/database/1/iCloud.a/development/public/canary/x", "unknown"),
    ("/database/1/iCloud.a/development/public/records/query", "records/query"),
  ])
  func `the route in a request's report is one of a fixed set, whatever the path is`(
    path: String, route: String
  ) async throws {
    try await withServer { server in
      let watch = Watch(server.router)
      _ = await watch.router.answer(
        HTTPRequest(method: .get, scheme: "http", authority: "stratus.test", path: path),
        body: WholeBody([]))
      #expect(watch.last?.route == route)
    }
  }

  @Test(arguments: [
    ("?clientBuildNumber=Notes%2F42", "Other/1 CFNetwork/1490", "Notes/42"),
    ("?ckAPIToken=a&clientBuildNumber=Notes/7&b=", "", "Notes/7"),
    ("?a=clientBuildNumber=1", "Notes/42 CFNetwork/1490 Darwin/23", "Notes/42"),
    ("?clientBuildNumber=1&clientBuildNumber=2", "", "2"), ("?clientBuildNumber=a%0Ab", "", "ab"),
    ("", "Notes/42", "Notes/42"), ("", "", ""),
  ])
  func `the app in a report is the build number in the query, or the first product of the agent`(
    query: String, agent: String, app: String
  ) async throws {
    try await withServer { server in
      let watch = Watch(server.router)
      let path = "/database/1/iCloud.a/development/public/records/query\(query)"
      _ = await watch.router.answer(
        HTTPRequest(
          method: .get, scheme: "http", authority: "stratus.test", path: path,
          headerFields: [.userAgent: agent]),
        body: WholeBody([]))
      #expect(watch.last?.app == app)
    }
  }

  @Test func `a report has the outcome, the sizes and the form of a query`() async throws {
    try await withServer { server in
      let watch = Watch(server.router)
      var anna = try await server.client("anna@example.org")
      anna = Client(
        router: watch.router, apiToken: anna.apiToken, webAuthToken: anna.webAuthToken)
      try await anna.save("n-1", fields: ["title": ["value": "canary"]])
      _ = try await anna.post(
        "records/query",
        [
          "query": [
            "recordType": "Note",
            "filterBy": [
              [
                "fieldName": "title", "comparator": "EQUALS",
                "fieldValue": ["value": "canary"],
              ]
            ],
            "sortBy": [["fieldName": "title", "ascending": false]],
          ]
        ])
      let report = try #require(watch.last)
      #expect(report.route == "records/query" && report.status == 200)
      #expect(report.outcome == "ok" && report.reason == nil)
      #expect(report.bytesIn > 0 && report.bytesOut > 0)
      #expect(report.query == "Note where title EQUALS sort by title descending")
      #expect(report.plan?.index.contains("title") == true)
      #expect(report.plan?.recordsRead == 1)
    }
  }

  @Test func `a report of a refused request has the reason without the caller's words`()
    async throws
  {
    try await withServer { server in
      let watch = Watch(server.router)
      var anna = try await server.client("anna@example.org")
      anna = Client(
        router: watch.router, apiToken: anna.apiToken, webAuthToken: anna.webAuthToken)
      let answer = try await anna.answer(
        "records/query", ["query": ["recordType": "canary canary"]])
      #expect(answer.status == 400)
      let report = try #require(watch.last)
      #expect(report.outcome == "BAD_REQUEST")
      #expect(report.reason?.contains("canary") == false)
      #expect(report.query == "?")
    }
  }

  /// Returns the status and the body of an answer.
  private func answer(
    _ router: Router, _ method: HTTPRequest.Method, _ path: String, _ token: String
  ) async throws -> String {
    var head = HTTPRequest(method: method, scheme: "http", authority: "stratus.test", path: path)
    head.headerFields[.authorization] = "Bearer \(token)"
    let (answer, body) = await router.answer(head, body: WholeBody(Array("{}".utf8)))
    return "\(answer.status.code) \(String(decoding: try await body.collected(), as: UTF8.self))"
  }

  @Test func `the port for metrics answers only requests for metrics`() async throws {
    try await withServer { server in
      var router = server.router
      let token = server.managementToken
      router.metrics = { Array("stratus_up 1\n".utf8) }
      let page = try await answer(router, .get, "/metrics", token)
      let health = try await answer(router, .get, "/health", token)
      let posted = try await answer(router, .post, "/metrics", token)
      let list = try await answer(router, .post, "/management/1/containers/list", token)
      #expect(page == "200 stratus_up 1\n")
      #expect(health == "404 " && posted == "405 " && list == "404 ")
    }
  }
}
