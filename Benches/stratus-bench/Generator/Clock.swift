import Dispatch
import Glibc

/// The machine's monotonic clock.
enum Clock {
  /// Nanoseconds since an arbitrary moment.
  static func nanoseconds() -> Int64 {
    Int64(DispatchTime.now().uptimeNanoseconds)
  }
}

/// The processor time of a process, user and system.
enum ProcessorTime {
  /// The processor time in microseconds, which the kernel counts in steps of 10 ms; nil if the
  /// process does not exist.
  static func microseconds(of processID: Int32) -> Double? {
    guard let text = TextFile.read("/proc/\(processID)/stat"),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12])
    else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK))) * 1_000_000
  }
}
