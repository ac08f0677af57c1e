import NIOCore
import StratusDomain

/// Server-sent events in HTTP/1.1 chunks, as they are sent over the connection.
///
/// NB: the server's JSON has no line breaks, so a payload is one `data` line.
enum EventText {
  /// A comment that keeps the connection open.
  static let keepAlive = chunk(Array(":\n\n".utf8))

  /// Ends a stream.
  static let end = ByteBuffer(string: "0\r\n\r\n")

  /// Encodes notifications as one chunk with one event for each.
  static func events(_ notifications: some Sequence<QueuedNotification>) -> ByteBuffer {
    var text: [UInt8] = []
    for notification in notifications { text += event(notification) }
    return chunk(text)
  }

  /// Encodes one event without a chunk around it.
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
