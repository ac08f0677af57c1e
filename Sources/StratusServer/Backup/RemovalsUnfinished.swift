/// The reason why a server does not start on restored data in PostgreSQL, as a sentence for the
/// operator.
struct RemovalsUnfinished: Error, CustomStringConvertible {
  /// The maximum time that a server waits for another one. Choice: enough for any usual journal.
  static let waitSeconds: Int64 = 600

  var description: String {
    """
    Another server has not applied the removals after the restored backup within \
    \(Self.waitSeconds / 60) minutes: see its log, stop it if it hangs, and start this server again.
    """
  }
}
