import NIOCore
import StratusDomain

/// Encodes server-sent events in HTTP/1.1 chunks, as the connection sends them.
///
/// NB: the server's JSON contains no line breaks, so a payload is a single `data` line.
enum EventText {
  /// A comment that is sent to keep the connection open.
  static let keepAlive = chunk(Array(":\n\n".utf8))

  /// The chunk that ends a stream.
  static let end = ByteBuffer(string: "0\r\n\r\n")

  /// Encodes notifications as one chunk with one event for each notification.
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

  /// Encodes bytes as one chunk.
  static func chunk(_ text: [UInt8]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(text.count + 12)
    buffer.writeString(String(text.count, radix: 16))
    buffer.writeStaticString("\r\n")
    buffer.writeBytes(text)
    buffer.writeStaticString("\r\n")
    return buffer
  }
}
