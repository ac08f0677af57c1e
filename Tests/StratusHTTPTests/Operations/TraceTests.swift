import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import Testing

@testable import StratusServer

/// The expected JSON follows the OpenTelemetry Protocol 1.x (OTLP/JSON).
@Suite struct `The traces of requests` {
  private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  /// Sends requests, and returns the spans that the server writes.
  private func spans(
    ratio: Double, headers: [[String: String]]
  ) async throws -> [[String: Any]] {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-traces-" + UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = TraceFile(path: path)
    let traces = RequestTraces(
      tracer: FileTracer(file: file, randomness: { Array(repeating: 0xAB, count: $0) }),
      ratio: ratio, chance: { 0.5 })
    let clock = Ambient(now: { 1_795_506_000_123 }, makeUUID: Ambient.live.makeUUID)
    try await withServer(live: Live(ambient: clock)) { server in
      let router = server.router
      router.reports.add(traces)
      for fields in headers {
        var head = HTTPRequest(
          method: .get, scheme: "http", authority: "stratus.test", path: "/health")
        for (name, value) in fields {
          head.headerFields[try #require(HTTPField.Name(name))] = value
        }
        _ = await router.answer(head, body: WholeBody([]))
      }
      router.reports.flush()
    }
    file.flush()
    guard let data = FileManager.default.contents(atPath: path) else { return [] }
    return try data.split(separator: 0x0A).flatMap { line -> [[String: Any]] in
      let json = try JSONSerialization.jsonObject(with: line) as? [String: Any]
      let resource = (json?["resourceSpans"] as? [[String: Any]])?.first
      let scope = (resource?["scopeSpans"] as? [[String: Any]])?.first
      return try #require(scope?["spans"] as? [[String: Any]])
    }
  }

  @Test func `a request whose trace is recorded by the caller adds a span to the trace`()
    async throws
  {
    let spans = try await spans(ratio: 0, headers: [["traceparent": Self.parent]])
    let span = try #require(spans.first)
    #expect(spans.count == 1)
    #expect(span["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736")
    #expect(span["parentSpanId"] as? String == "00f067aa0ba902b7")
    #expect(span["spanId"] as? String == "abababababababab")
    #expect(span["name"] as? String == "health")
    #expect(span["kind"] as? Int == 2)
    #expect(span["endTimeUnixNano"] as? String == "1795506000123000000")
    let attributes = try #require(span["attributes"] as? [[String: Any]])
    let status = attributes.first { $0["key"] as? String == "http.response.status_code" }
    #expect((status?["value"] as? [String: Any])?["intValue"] as? String == "200")
  }

  @Test func `a request whose trace is not recorded by the caller has no span`() async throws {
    let field = String(Self.parent.dropLast()) + "0"
    #expect(try await spans(ratio: 1, headers: [["traceparent": field]]).isEmpty)
  }

  @Test func `requests without a trace are recorded with the configured probability`() async throws
  {
    #expect(try await spans(ratio: 0.4, headers: [[:]]).isEmpty)
    let spans = try await spans(ratio: 0.6, headers: [[:]])
    #expect(spans.count == 1 && spans.first?["parentSpanId"] == nil)
    #expect(spans.first?["traceId"] as? String == String(repeating: "ab", count: 16))
  }

  @Test func `callers cannot record more spans in a second than the limit`() async throws {
    let many = Array(repeating: ["traceparent": Self.parent], count: 250)
    #expect(try await spans(ratio: 0, headers: many).count == 200)
  }
}
