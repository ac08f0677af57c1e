import Foundation
import Glibc

/// The machine on which the benchmark runs.
struct Machine {
  let cores: Int
  let model: String
  let kernel: String
  /// The time in microseconds to write and flush 4 KiB (the median of 500 measurements).
  let flushMicroseconds: Double
  /// The system's load average for the minute before the benchmark began.
  let load: String

  init(measuring folder: String) throws(Failure) {
    cores = ProcessInfo.processInfo.activeProcessorCount
    let line = TextFile.read("/proc/cpuinfo")?.split(separator: "\n")
      .first { $0.hasPrefix("model name") }
    model = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
    kernel =
      TextFile.read("/proc/sys/kernel/osrelease")?.trimmingCharacters(in: .whitespacesAndNewlines)
      ?? "unknown"
    load = Self.currentLoad
    flushMicroseconds = try Self.measureFlush(in: folder)
  }

  /// The system's load average: the average number of busy threads in the last minute.
  static var currentLoad: String {
    TextFile.read("/proc/loadavg")?.split(separator: " ").first.map { String($0) } ?? "unknown"
  }

  private static func measureFlush(in folder: String) throws(Failure) -> Double {
    let path = folder + "/flush"
    let descriptor = open(path, O_CREAT | O_RDWR, 0o600)
    guard descriptor >= 0 else { throw Failure("\(folder) cannot be written to") }
    defer {
      close(descriptor)
      unlink(path)
    }
    let page = [UInt8](repeating: 7, count: 4_096)
    var times: [Int64] = []
    for index in 0..<500 {
      let start = Clock.nanoseconds()
      _ = page.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, 4_096, off_t(index * 4_096)) }
      fdatasync(descriptor)
      times.append(Clock.nanoseconds() - start)
    }
    return Double(times.sorted().percentile(0.5)) / 1_000
  }
}

extension [Int64] {
  /// Returns the value at a percentile, or 0 if the list is empty. The list must be sorted.
  ///
  /// - Parameter share: the percentile as a number from 0 to 1.
  func percentile(_ share: Double) -> Int64 {
    isEmpty ? 0 : self[Swift.min(count - 1, Int(Double(count) * share))]
  }
}

extension [Double] {
  /// The median of the values, or 0 if the list is empty.
  var median: Double {
    let sorted = sorted()
    guard !sorted.isEmpty else { return 0 }
    let middle = sorted.count / 2
    let isEven = sorted.count.isMultiple(of: 2)
    return isEven ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
