import Dispatch
import Foundation
public import Logging
import Synchronization

/// Writes the lines of the log to a file descriptor, without delaying the callers.
///
/// Lines wait in memory until a queue writes them. If the reader of the output is too slow, lines
/// are dropped and counted.
public final class LogOutput: Sendable {
  private struct State {
    var waiting: [UInt8] = []
    /// Memory for further lines.
    var spare: [UInt8] = []
    var droppedCount = 0
    var isScheduled = false
  }

  /// The maximum number of bytes that wait. Choice: the lines of about a second on a busy server.
  private static let waitingBytesMax = 4_194_304
  /// The time for which lines are collected, in milliseconds.
  private static let pauseMilliseconds = 100

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "stratus.log")
  private let file: Int32
  private let now: @Sendable () -> Int64
  public let format: LogFormat

  /// - Parameters:
  ///   - file: an open descriptor. The default is standard error.
  ///   - now: returns the time in milliseconds since 1970 UTC.
  public init(
    format: LogFormat, file: Int32 = 2,
    now: @escaping @Sendable () -> Int64 = Live.milliseconds
  ) {
    self.format = format
    self.file = file
    self.now = now
  }

  /// Returns a line of the present time.
  func line(
    _ level: String, _ message: String, pairs: (inout LogLines) -> Void = { _ in }
  ) -> LogLines {
    var lines = LogLines(format)
    lines.add(time: now(), level: level, message: message, pairs: pairs)
    return lines
  }

  /// Adds lines.
  ///
  /// - Parameter isUrgent: whether the lines are written as soon as possible. Other lines are
  ///   collected for a short time.
  func write(_ lines: LogLines, isUrgent: Bool) {
    let mustSchedule = state.withLock { state in
      guard state.waiting.count + lines.bytes.count <= Self.waitingBytesMax else {
        state.droppedCount += lines.count
        return false
      }
      state.waiting += lines.bytes
      if isUrgent { return true }
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard mustSchedule else { return }
    if isUrgent {
      queue.async { self.writeWaiting() }
    } else {
      queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) {
        self.writeWaiting()
      }
    }
  }

  /// Writes all waiting lines, and returns when they are written.
  public func flush() { queue.sync { writeWaiting() } }

  private func writeWaiting() {
    var bytes: [UInt8] = []
    let droppedCount = state.withLock { state in
      swap(&bytes, &state.waiting)
      swap(&state.waiting, &state.spare)
      defer { (state.droppedCount, state.isScheduled) = (0, false) }
      return state.droppedCount
    }
    put(bytes)
    bytes.removeAll(keepingCapacity: true)
    state.withLock { state in swap(&bytes, &state.spare) }
    if droppedCount > 0 {
      let report = "\(droppedCount) lines were dropped, because the log is too slow"
      put(line("warning", report).bytes)
    }
  }

  private func put(_ bytes: [UInt8]) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes[offset...].withUnsafeBytes {
        Foundation.write(file, $0.baseAddress, $0.count)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        usleep(1_000)
        continue
      }
      // There is no place to report that the log cannot be written.
      guard count > 0 else { return }
      offset += count
    }
  }

  /// A logger that writes to this output.
  public func logger(label: String, level: Logger.Level) -> Logger {
    var logger = Logger(label: label) { LineLogHandler(label: $0, output: self) }
    logger.logLevel = level
    return logger
  }
}

/// Writes the events of swift-log as lines.
private struct LineLogHandler: LogHandler {
  let label: String
  let output: LogOutput
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.notice

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    let line = output.line(event.level.rawValue, event.message.description) { line in
      if label != "stratus" { line.pair("logger", label) }
      for (key, value) in all.sorted(by: { $0.key < $1.key }) { line.pair(named: key, "\(value)") }
    }
    output.write(line, isUrgent: event.level >= .warning)
  }
}
