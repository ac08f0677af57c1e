/// `notifications/read`: marks notifications as read on all the user's devices. Apple's service has
/// no such endpoint.
public enum MarkNotificationsRead: Endpoint {
  public static let path = "notifications/read"

  public struct Request: JSONWritable, JSONReadable {
    public var ids: [String]

    public init(ids: [String]) { self.ids = ids }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("notificationIDs", strings: ids) }
    }

    public init(json: JSONView) throws(WireError) {
      guard let ids = try json.strings("notificationIDs") else { throw .missing("notificationIDs") }
      self.ids = ids
    }
  }

  /// The IDs of the notifications that the server found.
  public typealias Response = Request
}
