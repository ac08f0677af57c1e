import CoreMetrics
import Foundation
import StratusDomain
import StratusHTTP
import StratusPush
import StratusWire

/// The numbers that describe the server at the moment at which Prometheus asks for them.
struct ServerNumbers: Sendable {
  let parts: Composition
  let metrics: PrometheusMetrics
  let startedAt: Int64

  /// All metrics as text.
  func page() async -> [UInt8] {
    parts.router.reports.flush()
    set("stratus_open_stores", Double(parts.stores.openStoresByAddress.count))
    set("stratus_listeners", Double(parts.hub.listenerCount))
    set("stratus_uptime_seconds", Double(max(0, parts.ambient.now() - startedAt)) / 1_000)
    set("stratus_readiness_faults", Double(await parts.router.readinessFaultsCount))
    for (name, value) in Self.process { set(name, value) }
    let cpu = "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total "
    return Array("\(metrics.text)\(cpu)\(Self.cpuSeconds)\n".utf8)
  }

  private func set(_ label: String, _ value: Double) {
    Meter(label: label, factory: metrics).set(value)
  }

  /// The process's use of the machine, with the names that Prometheus's own libraries use.
  private static var process: [(String, Double)] {
    var numbers: [(String, Double)] = []
    if let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) {
      let pages = text.split(separator: " ").compactMap { Double($0) }
      if pages.count > 1 {
        numbers.append(("process_resident_memory_bytes", pages[1] * Double(getpagesize())))
      }
    }
    if let count = OpenDescriptors.count { numbers.append(("process_open_fds", Double(count))) }
    return numbers
  }

  /// The processor time of this process in seconds. NB: `clock` counts in microseconds (POSIX).
  private static var cpuSeconds: Double { Double(clock()) / 1e6 }
}
