import ArgumentParser
import StratusServer
import StratusWire

/// The options for the request log on disk.
struct RequestLogOptions: ParsableArguments {
  /// The maximum of the option `--request-log-days`: ten years.
  private static let daysMax: Int64 = 3_650
  /// The maximum of the option `--request-log-megabytes`: a terabyte.
  private static let megabytesMax: Int64 = 1_048_576

  @Option(
    help: """
      The number of days for which the request log is kept on disk. 0 keeps nothing on disk. \
      Without a console, requests are then kept only while 'stratus tail' runs. Default: 7 with a \
      console, otherwise 0.
      """)
  var requestLogDays: Int64?

  @Option(help: "The maximum size of the request log on disk, in megabytes.")
  var requestLogMegabytes = Limits.requestLogBytesMax / 1_048_576

  /// - Parameter hasConsole: whether the server has a console.
  /// - Returns: nil if the log is not kept on disk.
  /// - Throws: `Failure` for a number that is out of range.
  func settings(hasConsole: Bool) throws -> RequestLogSettings? {
    let days = requestLogDays ?? (hasConsole ? Limits.requestLogDays : 0)
    try requireNumber(days, in: 0...Self.daysMax, of: "--request-log-days")
    try requireNumber(requestLogMegabytes, in: 1...Self.megabytesMax, of: "--request-log-megabytes")
    if days == 0 { return nil }
    return RequestLogSettings(days: days, bytesMax: requestLogMegabytes * 1_048_576)
  }
}
