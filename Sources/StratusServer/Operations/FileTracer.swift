import Foundation
import Instrumentation
import StratusWire
import Synchronization
import Tracing

/// A tracer for swift-distributed-tracing that writes spans to a file, in the JSON form of the
/// OpenTelemetry Protocol (OTLP).
struct FileTracer: Tracer {
  let file: TraceFile
  let randomness: @Sendable (_ count: Int) -> [UInt8]

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> InstrumentationContext,
    ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
    file fileID: String, line: UInt
  ) -> FileSpan {
    let parent = context()
    let outer = parent.traceContext
    let own = TraceContext(
      traceID: outer?.traceID ?? Self.hex(randomness(16)), spanID: Self.hex(randomness(8)),
      isSampled: outer?.isSampled ?? true)
    var inner = parent
    inner.traceContext = own
    return FileSpan(
      context: inner, own: own, parentID: outer?.spanID, kind: kind,
      beganAt: instant().nanosecondsSinceEpoch, name: operationName, file: file)
  }

  func forceFlush() { file.flush() }

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    context.traceContext = TraceContext(extractor.extract(key: Self.field, from: carrier))
  }

  func inject<Carrier, Inject: Injector>(
    _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let own = context.traceContext else { return }
    injector.inject(own.field, forKey: Self.field, into: &carrier)
  }

  /// The name of the header field of W3C Trace Context.
  private static let field = "traceparent"

  private static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}

private enum TraceContextKey: InstrumentationContextKey {
  typealias Value = TraceContext
}

extension InstrumentationContext {
  /// The span that becomes the parent of further spans, or nil.
  var traceContext: TraceContext? {
    get { self[TraceContextKey.self] }
    set { self[TraceContextKey.self] = newValue }
  }
}

/// One span of a ``FileTracer``. It is written when it ends.
final class FileSpan: Span {
  private struct State {
    var name: String
    var attributes: SpanAttributes = [:]
    var hasError = false
    var isEnded = false
  }

  let context: InstrumentationContext
  private let own: TraceContext
  private let parentID: String?
  private let kind: SpanKind
  private let beganAt: UInt64
  private let file: TraceFile
  private let state: Mutex<State>

  init(
    context: InstrumentationContext, own: TraceContext, parentID: String?, kind: SpanKind,
    beganAt: UInt64, name: String, file: TraceFile
  ) {
    self.context = context
    self.own = own
    self.parentID = parentID
    self.kind = kind
    self.beganAt = beganAt
    self.file = file
    state = Mutex(State(name: name))
  }

  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }

  var isRecording: Bool { state.withLock { !$0.isEnded } }

  func setStatus(_ status: SpanStatus) {
    state.withLock { $0.hasError = status.code == .error }
  }

  // NB: events, links and the texts of errors are not recorded, because a library could put
  // contents of requests into them.
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}

  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    state.withLock { $0.hasError = true }
  }

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    let endedAt = instant().nanosecondsSinceEpoch
    let ended = state.withLock { state -> State? in
      if state.isEnded { return nil }
      state.isEnded = true
      return state
    }
    guard let ended else { return }
    var writer = JSONWriter(reserving: 512)
    writer.object { writer in
      writer.key("traceId")
      writer.string(own.traceID)
      writer.key("spanId")
      writer.string(own.spanID)
      if let parentID {
        writer.key("parentSpanId")
        writer.string(parentID)
      }
      writer.key("name")
      writer.string(ended.name)
      writer.key("kind")
      writer.int(Self.number(of: kind))
      // OTLP writes 64-bit numbers as strings.
      writer.key("startTimeUnixNano")
      writer.string(String(beganAt))
      writer.key("endTimeUnixNano")
      writer.string(String(endedAt))
      writer.key("attributes")
      writer.array { writer in
        ended.attributes.forEach { name, value in Self.write(name, value, to: &writer) }
      }
      writer.key("status")
      writer.object { writer in
        guard ended.hasError else { return }
        writer.key("code")
        writer.int(2)
      }
    }
    file.add(writer.bytes)
  }

  /// Returns the number that OTLP uses for a kind of span.
  private static func number(of kind: SpanKind) -> Int64 {
    switch kind {
    case .internal: 1
    case .server: 2
    case .client: 3
    case .producer: 4
    case .consumer: 5
    }
  }

  private static func write(_ name: String, _ value: SpanAttribute, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("key")
      writer.string(name)
      writer.key("value")
      writer.object { writer in
        switch value {
        case .int32(let number):
          writer.key("intValue")
          writer.string(String(number))
        case .int64(let number):
          writer.key("intValue")
          writer.string(String(number))
        case .bool(let isTrue):
          writer.key("boolValue")
          writer.bool(isTrue)
        case .string(let text):
          writer.key("stringValue")
          writer.string(text)
        default:
          writer.key("stringValue")
          writer.string("")
        }
      }
    }
  }
}
