/// One event of a stream of server-sent events.
public struct ServerSentEvent: Sendable, Hashable {
  /// The type of the event. It is `message` if the server names no type.
  public var type: String
  /// The ID of this event, or else of the last earlier event with an ID. It is empty if there is
  /// none.
  public var id: String
  public var data: String

  public init(type: String, id: String, data: String) {
    self.type = type
    self.id = id
    self.data = data
  }
}

/// Parses server-sent events from pieces that may be split anywhere.
///
/// Source: WHATWG HTML, *Server-sent events*, 9.2.6. `retry` is ignored, because the client chooses
/// its own delay.
public struct ServerSentEvents: Sendable {
  /// The maximum number of bytes of one line, or of one event's data. A notification has at most 4
  /// kB.
  public static let eventBytesMax = 1_048_576

  /// The error for a stream that contains a line or an event above the size limit. The stream is
  /// then probably not a stream of events.
  public struct Overflow: Error, Sendable {}

  private var line: [UInt8] = []
  private var type = ""
  private var id = ""
  private var data: [UInt8] = []
  private var hasData = false
  /// Whether the last byte was a carriage return, which a line feed may follow.
  private var endedByReturn = false
  private var isFirstLine = true

  public init() {}

  /// Parses the next bytes.
  ///
  /// - Returns: the events that are complete now.
  /// - Throws: ``Overflow``. After this error, the stream cannot be parsed any further.
  public mutating func read(_ bytes: some Sequence<UInt8>) throws(Overflow) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for byte in bytes {
      let follows = endedByReturn
      endedByReturn = byte == 0x0D
      switch byte {
      case 0x0A where follows: continue
      case 0x0A, 0x0D:
        if let event = try endLine() { events.append(event) }
      case _:
        guard line.count < Self.eventBytesMax else { throw Overflow() }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine() throws(Overflow) -> ServerSentEvent? {
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    defer { line.removeAll(keepingCapacity: true) }
    if line.isEmpty { return endEvent() }
    let colon = line.firstIndex(of: 0x3A)
    let field = line[..<(colon ?? line.endIndex)]
    var value = colon.map { line[($0 + 1)...] } ?? []
    if value.first == 0x20 { value.removeFirst() }
    switch String(decoding: field, as: UTF8.self) {
    case "event": type = String(decoding: value, as: UTF8.self)
    case "id":
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "data":
      guard data.count + value.count < Self.eventBytesMax else { throw Overflow() }
      if hasData { data.append(0x0A) }
      data += value
      hasData = true
    case _: break
    }
    return nil
  }

  /// NB: an event without data is not delivered, although its ID takes effect.
  private mutating func endEvent() -> ServerSentEvent? {
    defer {
      type = ""
      data.removeAll(keepingCapacity: true)
      hasData = false
    }
    guard hasData else { return nil }
    return ServerSentEvent(
      type: type.isEmpty ? "message" : type, id: id, data: String(decoding: data, as: UTF8.self))
  }
}
