public import Foundation

extension Thread {
  /// Gives the calling thread a low priority. If the processors are busy, threads of the usual
  /// priority get most of the time. The call has no effect on systems other than Linux.
  public static func lowerPriority() {
    #if os(Linux)
      // NB: on Linux, this call changes only the priority of the calling thread.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #endif
  }

  /// The low priority as a Unix nice value: 0 is normal, 19 is the lowest priority.
  private static var niceness: Int32 { 10 }
}
