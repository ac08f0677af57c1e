import Dispatch
import Glibc

/// The machine's monotonic clock.
enum Clock {
  /// Returns the number of nanoseconds since an arbitrary, fixed time.
  static func nanoseconds() -> Int64 {
    Int64(DispatchTime.now().uptimeNanoseconds)
  }
}

/// The processor time of a process, in user mode and in the kernel.
enum ProcessorTime {
  /// Returns the processor time in microseconds, or nil if the process does not exist. The kernel
  /// measures this time in steps of 10 ms.
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
