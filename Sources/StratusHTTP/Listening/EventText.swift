import NIOCore
import StratusDomain

/// Server-sent events, in chunks of HTTP/1.1, as they stand on the connection.
///
/// NB: JSON of ours has no line breaks of its own, so a payload is one `data` line.
enum EventText {
  /// Keeps the connection open.
  static let keepAlive = chunk(Array(":\n\n".utf8))

  /// Ends a stream.
  static let end = ByteBuffer(string: "0\r\n\r\n")

  /// Notifications, one event each, in one chunk.
  static func events(_ notifications: some Sequence<QueuedNotification>) -> ByteBuffer {
    var text: [UInt8] = []
    for notification in notifications { text += event(notification) }
    return chunk(text)
  }

  /// One event, in no chunk.
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
