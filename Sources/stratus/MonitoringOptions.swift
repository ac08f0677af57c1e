public import ArgumentParser
public import Logging
public import StratusServer
import StratusWire

/// The format and the level of the log.
struct LogOptions {
  var format = LogFormat.text
  var level = Logger.Level.notice
}

/// The options for logs and metrics.
struct MonitoringOptions: ParsableArguments {
  /// The maximum of the option `--slow-query-milliseconds`: an hour.
  private static let slowMax: Int64 = 3_600_000

  @Option(help: "The format of the log on standard error: text or json.")
  var logFormat = LogFormat.text

  @Option(
    help: """
      The level of the least important messages that are logged: trace, debug, info, notice, \
      warning, error or critical. With info, there is a line for each request.
      """)
  var logLevel = Logger.Level.notice

  @Option(
    help: """
      The number of milliseconds after which a query is logged as slow, with its plan and without \
      its values; 0 logs no slow queries.
      """)
  var slowQueryMilliseconds = Limits.slowQueryMilliseconds

  @Option(
    help: """
      A file for traces, in the JSON form of the OpenTelemetry Protocol. Without this option, no \
      requests are traced.
      """)
  var traceFile: String?

  @Option(
    help: """
      The fraction of requests, 0 to 1, that are traced although their callers send no trace.
      """)
  var traceRatio = 0.01

  @Option(
    help: """
      The port at which Prometheus reads the metrics, with the path /metrics; 0 means any free \
      port. Without this option, there are no metrics.
      """)
  var metricsPort: Int?

  @Option(help: "The address at which the metrics can be read. They need no token.")
  var metricsHost = "127.0.0.1"

  var log: LogOptions { LogOptions(format: logFormat, level: logLevel) }

  /// - Returns: nil if no slow queries are logged.
  /// - Throws: `Failure` for a number that is out of range.
  func slowQuery() throws -> Int64? {
    try requireNumber(slowQueryMilliseconds, in: 0...Self.slowMax, of: "--slow-query-milliseconds")
    return slowQueryMilliseconds == 0 ? nil : slowQueryMilliseconds
  }

  /// - Returns: nil if no requests are traced.
  /// - Throws: `Failure` for a number that is out of range.
  func traces() throws -> TraceSettings? {
    guard (0...1).contains(traceRatio) else {
      throw Failure("--trace-ratio '\(traceRatio)' must be 0 to 1")
    }
    return traceFile.map { TraceSettings(path: $0, ratio: traceRatio) }
  }

  /// - Returns: nil if there are no metrics.
  /// - Throws: `Failure` for a number that is not a port.
  func address() throws -> MetricsAddress? {
    guard let metricsPort else { return nil }
    try requirePort(metricsPort, of: "--metrics-port")
    return MetricsAddress(host: metricsHost, port: metricsPort)
  }
}

extension LogFormat: ExpressibleByArgument {}
extension Logger.Level: @retroactive ExpressibleByArgument {}
