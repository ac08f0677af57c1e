/// A notification with its number in the user's queue. Apple's service has no such numbers.
///
/// The stream (`GET /device/1/{container}/{environment}/notifications/stream`, server-sent events)
/// sends each notification as one event. `id` is the number, `event` is `notification`, and `data`
/// is the payload. Lines that begin with a colon keep the connection alive. The stream begins after
/// the last number that the device acknowledged, or after the number in the header field
/// `Last-Event-ID` if that number is higher.
public struct NumberedNotification: Sendable, Hashable {
  /// The number of the notification. Later notifications have higher numbers. A device acknowledges
  /// all notifications up to a number.
  public var number: Int64
  public var payload: NotificationPayload
  /// Whether any device of the user has marked the notification as read.
  public var isRead: Bool

  public init(number: Int64, payload: NotificationPayload, isRead: Bool = false) {
    self.number = number
    self.payload = payload
    self.isRead = isRead
  }
}

extension NumberedNotification: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("number", number)
      writer.member("read", isRead)
      writer.member("payload", payload)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let number = json["number"]?.int64 else { throw .missing("number") }
    guard let payload = json["payload"] else { throw .missing("payload") }
    self.number = number
    self.payload = try NotificationPayload(json: payload)
    isRead = json["read"]?.bool ?? false
  }
}

/// `notifications/stream`: the path of the notification stream, which does not answer in JSON.
public enum StreamNotifications {
  public static let path = "notifications/stream"
}
