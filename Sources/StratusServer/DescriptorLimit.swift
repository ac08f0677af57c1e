import Foundation

/// The maximum number of files and connections that this process may have open.
enum DescriptorLimit {
  /// The minimum number of descriptors reserved for stores, files and the log.
  private static let reserveMin = 64
  /// The maximum number of reserved descriptors. Choice: 50 open containers, and 200 files in
  /// transfer.
  private static let reserveMax = 1_000
  /// The limit that is assumed if the system has no limit.
  private static let endless = 1_048_576

  /// Raises the limit as far as the system allows for an unprivileged process.
  ///
  /// - Returns: the new limit.
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

  /// Returns the number of connections that leaves enough descriptors for everything else.
  static func connectionsMax(of limit: Int) -> Int {
    max(1, limit - min(reserveMax, max(reserveMin, limit / 8)))
  }
}
