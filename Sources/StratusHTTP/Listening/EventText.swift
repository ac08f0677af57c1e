import NIOCore
import StratusDomain

/// Server-sent events in chunks of HTTP/1.1, as they are sent on the connection.
///
/// NB: the server's JSON has no line breaks, so a payload is one `data` line.
enum EventText {
  /// A comment that keeps the connection open.
  static let keepAlive = chunk(Array(":\n\n".utf8))

  /// Ends a stream.
  static let end = ByteBuffer(string: "0\r\n\r\n")

  /// Notifications in one chunk, one event each.
  static func events(_ notifications: some Sequence<QueuedNotification>) -> ByteBuffer {
    var text: [UInt8] = []
    for notification in notifications { text += event(notification) }
    return chunk(text)
  }

  /// One event without a chunk.
  static func event(_ notification: QueuedNotification) -> [UInt8] {
    Array("id: \(notification.number)\nevent: notification\ndata: ".utf8)
      + notification.payloadText + Array("\n\n".utf8)
  }

  private static func chunk(_ text: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(text.count + 12)
    buffer.writeString(String(text.count, radix: 16))
    buffer.writeStaticString("\r\n")
    buffer.writeBytes(text)
    buffer.writeStaticString("\r\n")
    return buffer
  }
}
