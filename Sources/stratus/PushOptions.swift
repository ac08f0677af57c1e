import ArgumentParser
import StratusServer

/// The options for notifications that the server sends over open connections.
struct PushOptions: ParsableArguments {
  /// The maximum number of seconds between two heartbeats. With a longer interval, a client would
  /// consider a stream lost if one heartbeat is late.
  private static let heartbeatSecondsMax: Int64 = 30
  /// The maximum number of seconds of a long poll. Proxies usually do not keep an unanswered
  /// request open for longer.
  private static let pollSecondsMax: Int64 = 600

  @Option(
    help: """
      The number of seconds between two heartbeats on a silent stream, 1 to 30. Use a smaller \
      number if a proxy closes silent connections sooner.
      """)
  var heartbeatSeconds = PushSettings().heartbeatSeconds

  @Option(
    help: """
      The number of seconds for which a long poll of CloudKit JS waits for a notification, 1 to \
      600. Use a smaller number if a proxy ends requests sooner.
      """)
  var pollSeconds = PushSettings().pollHoldSeconds

  /// - Throws: `Failure` if a number is out of range.
  func settings() throws -> PushSettings {
    try requireNumber(heartbeatSeconds, in: 1...Self.heartbeatSecondsMax, of: "--heartbeat-seconds")
    try requireNumber(pollSeconds, in: 1...Self.pollSecondsMax, of: "--poll-seconds")
    return PushSettings(pollHoldSeconds: pollSeconds, heartbeatSeconds: heartbeatSeconds)
  }
}
