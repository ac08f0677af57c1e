public import CoreMetrics
import Synchronization

/// A metrics system for swift-metrics that keeps the numbers in memory and writes them in the text
/// format of Prometheus.
///
/// The number of series is bounded. Further series are not kept, so their values are lost. The
/// metric `stratus_metrics_dropped_series_total` counts how often this happened.
public final class PrometheusMetrics: MetricsFactory {
  /// The upper bounds of the buckets for durations, in seconds.
  static let secondsBounds: [Double] = [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
  ]
  /// The last label of each bucket's line, with the text that follows it up to the number. NB: the
  /// texts are made only once, because formatting a fraction is slow and most lines are buckets.
  fileprivate static let bucketLabels: [String] =
    secondsBounds.map { "le=\"\($0)\"} " } + [#"le="+Inf"} "#]

  private struct Family {
    var kind: String
    /// The series by their labels in the text format.
    var series: [String: any MetricCell] = [:]
  }

  private struct State {
    var families: [String: Family] = [:]
    var seriesCount = 0
    var droppedCount = 0
  }

  private let state = Mutex(State())
  private let seriesMax: Int

  public init(seriesMax: Int = 2_000) { self.seriesMax = seriesMax }

  public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    cell(label, dimensions, kind: "counter") { CounterCell() }
  }

  public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    cell(label, dimensions, kind: "gauge") { GaugeCell() }
  }

  public func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    if aggregate { return cell(label, dimensions, kind: "histogram") { HistogramCell() } }
    return cell(label, dimensions, kind: "gauge") { GaugeCell() }
  }

  public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    cell(label, dimensions, kind: "histogram") { HistogramCell() }
  }

  // NB: numbers stay until the server stops, because Prometheus expects that counters never vanish.
  public func destroyCounter(_ handler: any CounterHandler) {}
  public func destroyMeter(_ handler: any MeterHandler) {}
  public func destroyRecorder(_ handler: any RecorderHandler) {}
  public func destroyTimer(_ handler: any TimerHandler) {}

  /// All numbers in the text format of Prometheus, version 0.0.4.
  public var text: String {
    let (families, dropped) = state.withLock { ($0.families, $0.droppedCount) }
    var text = ""
    for (name, family) in families.sorted(by: { $0.key < $1.key }) {
      text += "# TYPE \(name) \(family.kind)\n"
      for (labels, cell) in family.series.sorted(by: { $0.key < $1.key }) {
        cell.write(name, labels, to: &text)
      }
    }
    text += "# TYPE stratus_metrics_dropped_series_total counter\n"
    text += "stratus_metrics_dropped_series_total \(dropped)\n"
    return text
  }

  private func cell<Cell: MetricCell>(
    _ label: String, _ dimensions: [(String, String)], kind: String, _ make: () -> Cell
  ) -> Cell {
    let (name, labels) = (Self.name(label), Self.labels(dimensions))
    return state.withLock { state in
      if let known = state.families[name]?.series[labels] {
        // Prometheus cannot read a name with two kinds, so the second kind is dropped.
        if let cell = known as? Cell { return cell }
        state.droppedCount += 1
        return make()
      }
      guard state.seriesCount < seriesMax, state.families[name].map({ $0.kind == kind }) ?? true
      else {
        state.droppedCount += 1
        return make()
      }
      let cell = make()
      state.seriesCount += 1
      state.families[name, default: Family(kind: kind)].series[labels] = cell
      return cell
    }
  }

  /// Returns a label of swift-metrics as a name that Prometheus accepts.
  static func name(_ label: String) -> String {
    let bytes = label.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: ":"):
        byte
      default: UInt8(ascii: "_")
      }
    }
    let name = String(decoding: bytes, as: UTF8.self)
    return name.first?.isNumber ?? true ? "_" + name : name
  }

  /// Returns dimensions as `name="value",…`, or an empty text.
  static func labels(_ dimensions: [(String, String)]) -> String {
    dimensions.map { name, value in
      var escaped = ""
      for character in value.unicodeScalars {
        switch character {
        case "\\": escaped += "\\\\"
        case "\"": escaped += "\\\""
        case "\n": escaped += "\\n"
        default: escaped.unicodeScalars.append(character)
        }
      }
      return "\(Self.name(name))=\"\(escaped)\""
    }.joined(separator: ",")
  }
}

/// The numbers of one series.
private protocol MetricCell: AnyObject, Sendable {
  func write(_ name: String, _ labels: String, to text: inout String)
}

extension MetricCell {
  fileprivate static func line(
    _ name: String, _ labels: String, _ value: some CustomStringConvertible
  ) -> String {
    labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
  }
}

private final class CounterCell: CounterHandler, MetricCell {
  private let value = Atomic<Int64>(0)

  func increment(by amount: Int64) { value.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { value.store(0, ordering: .relaxed) }

  func write(_ name: String, _ labels: String, to text: inout String) {
    text += Self.line(name, labels, value.load(ordering: .relaxed))
  }
}

private final class GaugeCell: MeterHandler, RecorderHandler, MetricCell {
  private let value = Mutex(0.0)

  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { self.value.withLock { $0 = value } }
  func increment(by amount: Double) { value.withLock { $0 += amount } }
  func decrement(by amount: Double) { value.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }

  func write(_ name: String, _ labels: String, to text: inout String) {
    text += Self.line(name, labels, value.withLock { $0 })
  }
}

/// Counts values in buckets. The values of a timer are seconds.
private final class HistogramCell: TimerHandler, RecorderHandler, MetricCell {
  private struct Counts {
    var classes = Array(repeating: 0, count: PrometheusMetrics.secondsBounds.count + 1)
    var sum = 0.0
  }

  private let counts = Mutex(Counts())

  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
  func record(_ value: Int64) { record(Double(value)) }

  func record(_ value: Double) {
    let bounds = PrometheusMetrics.secondsBounds
    let place = bounds.firstIndex { value <= $0 } ?? bounds.count
    counts.withLock { counts in
      counts.classes[place] += 1
      counts.sum += value
    }
  }

  func write(_ name: String, _ labels: String, to text: inout String) {
    let counts = counts.withLock { $0 }
    let begin = name + "_bucket{" + (labels.isEmpty ? "" : labels + ",")
    var sum = 0
    for (label, count) in zip(PrometheusMetrics.bucketLabels, counts.classes) {
      sum += count
      text += begin
      text += label
      text += String(sum)
      text += "\n"
    }
    text += Self.line(name + "_sum", labels, counts.sum)
    text += Self.line(name + "_count", labels, sum)
  }
}
