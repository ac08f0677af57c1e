import Foundation

/// The memory and the number of open descriptors of a process.
struct ProcessFigures: Sendable {
  let residentMegabytes: Int
  let descriptorsCount: Int

  /// Returns nil if the process has ended or the system has no `/proc`.
  init?(of processID: Int32) {
    let folder = "/proc/\(processID)"
    guard let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
      let kilobytes = line.split(separator: " ").dropFirst().first.flatMap({ Int($0) }),
      let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder + "/fd")
    else { return nil }
    residentMegabytes = kilobytes / 1_024
    descriptorsCount = descriptors.count
  }

  var text: String { "\(residentMegabytes) MB and \(descriptorsCount) descriptors" }
}
