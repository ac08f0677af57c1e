import Foundation

/// How many files and connections this process may have open.
enum DescriptorLimit {
  /// Descriptors that stores, files and the log need at least.
  private static let reserveMin = 64
  /// Descriptors that they need at most. Choice: 50 containers in use, and 200 files on their way.
  private static let reserveMax = 1_000
  /// More than any server has, where the system names no limit.
  private static let endless = 1_048_576

  /// Raises the limit as far as the system allows without privileges.
  ///
  /// - Returns: the limit that holds from now on.
  static func raise() -> Int {
    var limit = rlimit()
    #if os(Linux)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &limit) == 0 else { return 256 }
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = min(limit.rlim_max, rlim_t(endless))
      if raised.rlim_cur > limit.rlim_cur, setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: min(limit.rlim_cur, rlim_t(endless)))
  }

  /// Connections that leave enough descriptors for everything else.
  static func connectionsMax(of limit: Int) -> Int {
    max(1, limit - min(reserveMax, max(reserveMin, limit / 8)))
  }
}
