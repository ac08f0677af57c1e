import Testing

@testable import StratusTransport

@Suite struct EventReading {
  private func read(_ text: String) throws -> [ServerSentEvent] {
    var reader = ServerSentEvents()
    return try reader.read(Array(text.utf8))
  }

  private func event(
    _ data: String, id: String = "", type: String = "message"
  ) -> ServerSentEvent { ServerSentEvent(type: type, id: id, data: data) }

  /// A text with every kind of line end, a byte order mark, comments, multibyte characters, unknown
  /// fields, and an unfinished event.
  private let mixed =
    "\u{FEFF}: hello\r\n\r\nid: 7\r\nevent: notification\r\ndata: {\"ä\":\r\ndata: \"𝄞\"}\r\n\r\n"
    + "data\n\nretry: 5\nid:8\ndata:a: b\n\n:\n\r\rdata: x\rdata:  y\r\rdata: lost\n"

  private var mixedEvents: [ServerSentEvent] {
    [
      event("{\"ä\":\n\"𝄞\"}", id: "7", type: "notification"), event("", id: "7"),
      event("a: b", id: "8"), event("x\n y", id: "8"),
    ]
  }

  @Test func `an empty line ends an event`() throws {
    #expect(try read(mixed) == mixedEvents)
    #expect(try read("data: a\n").isEmpty)
    #expect(try read("data: a\n\n") == [event("a")])
    #expect(try read("data: a\r\n\r\n") == [event("a")])
    #expect(try read("data: a\r\r") == [event("a")])
  }

  @Test func `events are the same for every division of the bytes into pieces`() throws {
    let bytes = Array(mixed.utf8)
    for first in 0...bytes.count {
      for second in first...bytes.count {
        var reader = ServerSentEvents()
        var events = try reader.read(bytes[..<first])
        events += try reader.read(bytes[first..<second])
        events += try reader.read(bytes[second...])
        guard events == mixedEvents else {
          Issue.record("split at \(first) and \(second): \(events)")
          return
        }
      }
    }
  }

  @Test func `server-sent events are the same when they arrive byte by byte`() throws {
    var reader = ServerSentEvents()
    var events: [ServerSentEvent] = []
    for byte in mixed.utf8 { events += try reader.read([byte]) }
    #expect(events == mixedEvents)
  }

  @Test func `a block without data is no event, but its ID is used for the next event`() throws {
    #expect(try read("id: 3\nevent: x\n\ndata: a\n\n") == [event("a", id: "3")])
    #expect(try read(": still here\n\n: still here\n\n").isEmpty)
    #expect(try read("id: 3\n\nid: 4\0\ndata: a\n\n") == [event("a", id: "3")])
  }

  @Test func `a stream in another format fails before it fills the memory`() throws {
    var reader = ServerSentEvents()
    let piece = [UInt8](repeating: 0x61, count: ServerSentEvents.eventBytesMax)
    #expect(try reader.read(piece).isEmpty)
    #expect(throws: ServerSentEvents.Overflow.self) { try reader.read([0x61]) }
    var lines = ServerSentEvents()
    let line = Array("data: ".utf8) + piece.prefix(600_000) + [0x0A]
    #expect(try lines.read(line).isEmpty)
    #expect(throws: ServerSentEvents.Overflow.self) { try lines.read(line) }
  }
}
