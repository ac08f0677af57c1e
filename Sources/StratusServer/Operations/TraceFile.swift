import Dispatch
import Foundation
import StratusWire
import Synchronization

/// The current and the previous file with traces. Each line is one export of OTLP in JSON, as the
/// OpenTelemetry Collector reads it from files.
public final class TraceFile: Sendable {
  private struct State {
    var spans: [[UInt8]] = []
    var isScheduled = false
    var file: Int32?
    var sizeBytes: Int64 = 0
    var droppedCount = 0
  }

  /// The maximum number of spans that wait until they are written.
  private static let waitingMax = 4_096
  /// The maximum size of each of the two files.
  private static let bytesMax: Int64 = 33_554_432
  private static let pauseMilliseconds = 500

  private let path: String
  private let queue = DispatchQueue(label: "stratus.traces")
  private let state = Mutex(State())

  public init(path: String) { self.path = path }

  deinit {
    state.withLock { if let file = $0.file { _ = close(file) } }
  }

  /// Adds a span. If too many spans wait, the span is dropped.
  func add(_ span: [UInt8]) {
    let mustSchedule = state.withLock { state in
      guard state.spans.count < Self.waitingMax else {
        state.droppedCount += 1
        return false
      }
      state.spans.append(span)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    guard mustSchedule else { return }
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.pauseMilliseconds)) { self.write() }
  }

  /// Writes all waiting spans, and returns when they are written.
  public func flush() { queue.sync { write() } }

  private func write() {
    let spans = state.withLock { state in
      defer { (state.spans, state.isScheduled) = ([], false) }
      return state.spans
    }
    if spans.isEmpty { return }
    var writer = JSONWriter(reserving: 4_096)
    writer.object { writer in
      writer.key("resourceSpans")
      writer.array { writer in
        writer.object { writer in
          writer.key("resource")
          writer.raw(Self.resource)
          writer.key("scopeSpans")
          writer.array { writer in
            writer.object { writer in
              writer.key("scope")
              writer.raw(Self.scope)
              writer.key("spans")
              writer.array { writer in for span in spans { writer.raw(span) } }
            }
          }
        }
      }
    }
    append(writer.bytes + [0x0A])
  }

  private static let scope = Array(#"{"name":"stratus"}"#.utf8)
  private static let resource = Array(
    (#"{"attributes":[{"key":"service.name","value":{"stringValue":"stratus"}},"#
      + #"{"key":"service.version","value":{"stringValue":""#
      + ServerVersion.current + #""}}]}"#).utf8)

  private func append(_ line: [UInt8]) {
    state.withLock { state in
      if state.sizeBytes + Int64(line.count) > Self.bytesMax, let file = state.file {
        _ = close(file)
        state.file = nil
        rename(path, path + ".1")
      }
      if state.file == nil {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        state.sizeBytes = max(0, Int64(lseek(file, 0, SEEK_END)))
        state.file = file
      }
      guard let file = state.file else { return }
      // NB: an incomplete line is harmless, because a reader of JSON lines skips it.
      let count = line.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
      if count > 0 { state.sizeBytes += Int64(count) }
    }
  }
}
