import Foundation
import HTTPTypes
import Logging
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusHTTP
@testable import StratusServer

/// Logs hold no contents of requests (docs/reference/logs.md).
@Suite struct `A search for ten thousand marked values` {
  private static let mark = "cnry4711"

  /// Sends requests that are refused, each with marked values in another place.
  private func provoke(_ client: Client, _ mark: String) async throws {
    let record: JSON = ["recordName": "\(mark)", "recordType": "Note"]
    func save(_ record: JSON, _ kind: String = "forceUpdate") -> JSON {
      ["operations": [["operationType": "\(kind)", "record": record]]]
    }
    func query(_ filter: JSON) -> JSON {
      ["query": ["recordType": "Note", "filterBy": [filter]]]
    }
    let bodies: [(String, JSON)] = [
      ("records/modify", save(record.with("fields", ["count": ["value": "\(mark)"]]))),
      ("records/modify", save(record.with("fields", ["\(mark) x": ["value": 1]]))),
      ("records/modify", save(record.with("recordType", "\(mark) x"))),
      ("records/modify", save(record.with("recordType", "x'\(mark)"))),
      ("records/modify", save(record.with("recordName", "_\(mark)"))),
      ("records/modify", save(record, mark)),
      ("records/modify", save(record).with("zoneID", ["zoneName": "\(mark)"])),
      ("records/lookup", ["records": [["recordName": "\(mark)"]]]),
      ("records/lookup", ["records": [["recordName": "_\(mark)"]], "zoneID": "\(mark)"]),
      (
        "records/query",
        query(["fieldName": "title", "comparator": "\(mark)", "fieldValue": ["value": 1]])
      ),
      (
        "records/query",
        query([
          "fieldName": "\(mark)'s", "comparator": "EQUALS", "fieldValue": ["value": "\(mark)"],
        ])
      ),
      (
        "records/query",
        query([
          "fieldName": "count", "comparator": "EQUALS", "fieldValue": ["value": "\(mark)"],
        ])
      ),
      (
        "records/query",
        query([
          "fieldName": "title", "comparator": "EQUALS", "fieldValue": ["value": "\(mark)"],
        ]).with("continuationMarker", "\(mark)")
      ),
      ("changes/zone", ["zones": [["zoneID": ["zoneName": "\(mark)"]]]]),
      ("changes/zone", ["zones": [["zoneID": ["zoneName": "Z"], "syncToken": "\(mark)"]]]),
      ("changes/database", ["syncToken": "\(mark)"]),
      ("zones/lookup", ["zones": [["zoneName": "\(mark)"]]]),
      ("zones/modify", ["operations": [["operationType": "\(mark)", "zone": [:]]]]),
      ("subscriptions/lookup", ["subscriptions": [["subscriptionID": "\(mark)"]]]),
      (
        "subscriptions/modify",
        [
          "operations": [
            [
              "operationType": "create",
              "subscription": ["subscriptionID": "\(mark)", "subscriptionType": "\(mark)"],
            ]
          ]
        ]
      ),
      ("records/resolve", ["shortGUIDs": [["value": "\(mark)"]]]),
      ("tokens/register", ["apnsToken": "\(mark)", "apnsEnvironment": "\(mark)"]),
      ("\(mark)/x", [:]),
    ]
    for (endpoint, body) in bodies { _ = try await client.answer(endpoint, body) }
    _ = try await client.send(
      .post, client.target("records/query"), body: Array("{\"query\": \(mark)".utf8))
    var stranger = client
    stranger.webAuthToken = mark
    _ = try await stranger.answer("users/caller", [:])
    stranger.apiToken = mark
    _ = try await stranger.answer("users/caller", [:])
    for path in ["/assets/download/\(mark)", "/\(mark)", "/share/\(mark)", "/push/\(mark)"] {
      _ = await client.router.answer(
        HTTPRequest(method: .get, scheme: "http", authority: "stratus.test", path: path),
        body: WholeBody([]))
    }
  }

  @Test func `marked values do not occur in logs, metrics, traces and the request log`()
    async throws
  {
    let log = CapturedLog()
    let pipe = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-lines-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: pipe) }
    let file = open(pipe.path, O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    let output = LogOutput(format: .json, file: file)
    let metrics = PrometheusMetrics()
    let traces = TraceFile(path: pipe.path + ".traces")
    defer { try? FileManager.default.removeItem(atPath: pipe.path + ".traces") }
    let tracer = FileTracer(file: traces, randomness: Live.systemRandomness)
    try await withServer(log: log) { server in
      server.requestLog.keep()
      let router = server.router
      let observers: [any RequestObserver] = [
        RequestLines(output: output), RequestMetrics(factory: metrics),
        RequestTraces(tracer: tracer, ratio: 1, chance: { 0 }),
        SlowQueries(milliseconds: 0, logger: output.logger(label: "stratus", level: .trace)),
      ]
      for observer in observers { router.reports.add(observer) }
      let user = try await server.client("anna@example.org")
      let anna = Client(
        router: router, apiToken: user.apiToken, webAuthToken: user.webAuthToken)
      try await anna.save("first", fields: ["title": ["value": "x"], "count": ["value": 1]])
      for batch in 0..<50 {
        let marks = (0..<100).map { "\(Self.mark)-\(batch)-\($0)" }
        let operations = marks.map { mark -> JSON in
          [
            "operationType": "forceUpdate",
            "record": [
              "recordName": "\(mark)", "recordType": "Note",
              "fields": ["title": ["value": "title \(mark)"]],
            ],
          ]
        }
        _ = try await anna.modify(.array(operations))
        if batch.isMultiple(of: 10) { try await provoke(anna, "\(Self.mark)\(batch)") }
      }
      let entries = try await server.manage("requests/list", ["resultsLimit": 1_000])
      #expect(entries["requests"].array?.count ?? 0 > 150)
      #expect(!String(decoding: try entries.bytes, as: UTF8.self).contains(Self.mark))
      let telemetry = try await server.manage("telemetry/fetch", [:])
      #expect(!String(decoding: try telemetry.bytes, as: UTF8.self).contains(Self.mark))
      router.reports.flush()
    }
    output.flush()
    let lines = try String(contentsOf: pipe, encoding: .utf8).split(separator: "\n")
    #expect(lines.count > 200)
    // NB: this shows that the search works: the log contains the words around the marked values.
    #expect(lines.contains { $0.contains("slow query") && $0.contains("title EQUALS") })
    for line in lines where line.contains(Self.mark) { Issue.record("\(line)") }
    traces.flush()
    let spans = try String(contentsOfFile: pipe.path + ".traces", encoding: .utf8)
    #expect(spans.contains("Note where title EQUALS") && !spans.contains(Self.mark))
    #expect(metrics.text.contains(#"route="records/modify""#))
    #expect(!metrics.text.contains(Self.mark))
    #expect(!log.text.contains(Self.mark), "\(log.text)")
  }
}
