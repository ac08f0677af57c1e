import CoreMetrics
import Testing

@testable import StratusServer

/// The expected texts follow Prometheus's *Exposition formats*, version 0.0.4.
@Suite struct `The metrics for Prometheus` {
  private func lines(_ metrics: PrometheusMetrics) -> [String] {
    metrics.text.split(separator: "\n").map(String.init)
  }

  @Test func `a Prometheus counter has one line for each combination of labels`() {
    let metrics = PrometheusMetrics()
    let queries = Counter(
      label: "requests_total", dimensions: [("route", "records/query"), ("outcome", "ok")],
      factory: metrics)
    queries.increment()
    queries.increment(by: 4)
    Counter(
      label: "requests_total", dimensions: [("route", "home"), ("outcome", "ok")],
      factory: metrics
    ).increment()
    #expect(
      lines(metrics).prefix(3) == [
        "# TYPE requests_total counter",
        #"requests_total{route="home",outcome="ok"} 1"#,
        #"requests_total{route="records/query",outcome="ok"} 5"#,
      ])
  }

  @Test func `the buckets of a Prometheus histogram are cumulative, and the last counts all`() {
    let metrics = PrometheusMetrics()
    let timer = CoreMetrics.Timer(label: "request_seconds", factory: metrics)
    timer.recordNanoseconds(200_000)
    timer.recordNanoseconds(200_000)
    timer.recordNanoseconds(3_000_000_000)
    timer.recordNanoseconds(60_000_000_000)
    let all = lines(metrics)
    #expect(all.contains("# TYPE request_seconds histogram"))
    #expect(all.contains(#"request_seconds_bucket{le="0.0001"} 0"#))
    #expect(all.contains(#"request_seconds_bucket{le="0.00025"} 2"#))
    #expect(all.contains(#"request_seconds_bucket{le="2.5"} 2"#))
    #expect(all.contains(#"request_seconds_bucket{le="10.0"} 3"#))
    #expect(all.contains(#"request_seconds_bucket{le="+Inf"} 4"#))
    #expect(all.count { $0.hasPrefix("request_seconds_bucket{") } == 16)
    #expect(all.contains("request_seconds_sum 63.0004"))
    #expect(all.contains("request_seconds_count 4"))
  }

  @Test func `the buckets of a Prometheus histogram have the labels of its series`() {
    let metrics = PrometheusMetrics()
    CoreMetrics.Timer(label: "s", dimensions: [("route", "home")], factory: metrics)
      .recordNanoseconds(20_000_000_000)
    let all = lines(metrics)
    #expect(all.contains(#"s_bucket{route="home",le="10.0"} 0"#))
    #expect(all.contains(#"s_bucket{route="home",le="+Inf"} 1"#))
    #expect(all.contains(#"s_count{route="home"} 1"#))
  }

  @Test func `a Prometheus gauge has its last value`() {
    let metrics = PrometheusMetrics()
    Meter(label: "open.stores", factory: metrics).set(3)
    Meter(label: "open.stores", factory: metrics).set(1.5)
    #expect(lines(metrics).prefix(2) == ["# TYPE open_stores gauge", "open_stores 1.5"])
  }

  @Test func `Prometheus labels are escaped, and names have only permitted characters`() {
    #expect(PrometheusMetrics.labels([("a b", "x\"y\\z\nw")]) == #"a_b="x\"y\\z\nw""#)
    #expect(PrometheusMetrics.name("7-up") == "_7_up")
  }

  @Test func `the number of Prometheus series is limited, and rejected series are counted`() {
    let metrics = PrometheusMetrics(seriesMax: 3)
    for number in 0..<10 {
      Counter(label: "c", dimensions: [("n", "\(number)")], factory: metrics).increment()
    }
    let all = lines(metrics)
    #expect(all.filter { $0.hasPrefix("c{") }.count == 3)
    #expect(all.contains("stratus_metrics_dropped_series_total 7"))
  }

  @Test func `a Prometheus name that is used for two kinds of metrics keeps the first kind`() {
    let metrics = PrometheusMetrics()
    Counter(label: "x", factory: metrics).increment()
    Meter(label: "x", factory: metrics).set(9)
    #expect(lines(metrics).prefix(2) == ["# TYPE x counter", "x 1"])
  }
}
