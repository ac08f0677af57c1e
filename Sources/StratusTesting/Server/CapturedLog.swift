package import Logging
import Synchronization

/// Everything that a server logs in a test, at every level.
public final class CapturedLog: Sendable {
  private let lines = Mutex<[String]>([])

  /// Creates an empty log.
  public init() {}

  /// The logged events with level, message and metadata, one event per line.
  public var text: String { lines.withLock { $0.joined(separator: "\n") } }

  /// A logger that writes to this log.
  package var logger: Logger {
    var logger = Logger(label: "stratus") { _ in CapturingHandler(log: self) }
    logger.logLevel = .trace
    return logger
  }

  fileprivate func note(_ line: String) { lines.withLock { $0.append(line) } }
}

private struct CapturingHandler: LogHandler {
  let log: CapturedLog
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    log.note("\(event.level) \(event.message) \(all)")
  }
}
