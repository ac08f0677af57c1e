import Foundation
import StratusWire

/// The result of a run, as a table and as JSON.
struct Report {
  let machine: Machine
  let rounds: [[Row]]
  let loadAfter: String
  let residentBytes: Int

  private var rows: [Row] { Row.medians(of: rounds) }

  /// The report as a Markdown table, for people.
  var table: String {
    var lines = [
      "| job | figure | server CPU | p50 / p99 | compared | goal | met |",
      "|---|---:|---:|---:|---|---|---|",
    ]
    for row in rows {
      let comparisons = row.comparisons.isEmpty ? [nil] : row.comparisons.map(Optional.some)
      for (index, comparison) in comparisons.enumerated() {
        let own = index == 0 ? cells(of: row) : ["", "", "", ""]
        lines.append("| " + (own + cells(of: comparison)).joined(separator: " | ") + " |")
      }
    }
    lines += [
      "",
      "\(machine.cores) cores (\(machine.model)), Linux \(machine.kernel); 4 KiB on disk in "
        + "\(Self.text(machine.flushMicroseconds)) µs; load \(machine.load) before, "
        + "\(loadAfter) after; the generator runs on the same cores; median of "
        + "\(rounds.count) rounds; server's memory at the end \(residentBytes >> 20) MiB.",
    ]
    return lines.joined(separator: "\n")
  }

  private func cells(of row: Row) -> [String] {
    [
      row.job, "\(Self.text(row.figure)) \(row.unit)",
      row.processorMicroseconds.map { "\(Self.text($0)) µs" } ?? "",
      row.latencies.map { "\(Self.text($0.p50)) / \(Self.text($0.p99)) ms" } ?? "",
    ]
  }

  private func cells(of comparison: Comparison?) -> [String] {
    guard let comparison else { return ["", "", ""] }
    let goal =
      switch comparison.goal {
      case .atLeast(let bound): "≥ \(bound.formatted())"
      case .atMost(let bound): "≤ \(bound.formatted())"
      case nil: ""
      }
    let met = comparison.isMet.map { $0 ? "yes" : "**no**" } ?? ""
    return ["\(Self.text(comparison.value)) \(comparison.name)", goal, met]
  }

  private static func text(_ value: Double) -> String {
    if value >= 100 { return String(Int(value.rounded())) }
    return String(format: value >= 10 ? "%.1f" : "%.2f", value)
  }

  /// The report as JSON, for programs.
  var json: [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      writer.key("machine")
      writer.object { writeMachine(to: &$0) }
      writer.key("jobs")
      writer.array { writer in
        for row in rows { writer.object { write(row, to: &$0) } }
      }
    }
    return writer.bytes
  }

  private func writeMachine(to writer: inout JSONWriter) {
    writer.key("cores")
    writer.int(Int64(machine.cores))
    writer.key("model")
    writer.string(machine.model)
    writer.key("kernel")
    writer.string(machine.kernel)
    writer.key("flushMicroseconds")
    writer.double(machine.flushMicroseconds)
    writer.key("loadBefore")
    writer.string(machine.load)
    writer.key("loadAfter")
    writer.string(loadAfter)
    writer.key("rounds")
    writer.int(Int64(rounds.count))
    writer.key("serverResidentBytes")
    writer.int(Int64(residentBytes))
  }

  private func write(_ row: Row, to writer: inout JSONWriter) {
    writer.key("job")
    writer.string(row.job)
    writer.key("figure")
    writer.double(row.figure)
    writer.key("unit")
    writer.string(row.unit)
    if let microseconds = row.processorMicroseconds {
      writer.key("processorMicroseconds")
      writer.double(microseconds)
    }
    if let latencies = row.latencies {
      writer.key("p50Milliseconds")
      writer.double(latencies.p50)
      writer.key("p99Milliseconds")
      writer.double(latencies.p99)
    }
    writer.key("comparisons")
    writer.array { writer in
      for comparison in row.comparisons { writer.object { write(comparison, to: &$0) } }
    }
  }

  private func write(_ comparison: Comparison, to writer: inout JSONWriter) {
    writer.key("name")
    writer.string(comparison.name)
    writer.key("value")
    writer.double(comparison.value)
    switch comparison.goal {
    case .atLeast(let bound):
      writer.key("atLeast")
      writer.double(bound)
    case .atMost(let bound):
      writer.key("atMost")
      writer.double(bound)
    case nil: return
    }
    writer.key("isMet")
    writer.bool(comparison.isMet ?? false)
  }
}
