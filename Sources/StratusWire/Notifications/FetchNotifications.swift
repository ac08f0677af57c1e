/// `notifications/changes`: returns the user's read and unread notifications after a position in
/// the user's queue. Stratus adds this endpoint for `CKFetchNotificationChangesOperation`.
public enum FetchNotifications: Endpoint {
  public static let path = "notifications/changes"

  public struct Request: JSONWritable, JSONReadable {
    /// The change token to continue from. nil means the oldest notification.
    public var serverChangeToken: String?
    /// The maximum number of notifications. nil means as many as one answer may contain.
    public var resultsLimit: Int?

    public init(serverChangeToken: String? = nil, resultsLimit: Int? = nil) {
      self.serverChangeToken = serverChangeToken
      self.resultsLimit = resultsLimit
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("serverChangeToken", serverChangeToken)
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
      }
    }

    public init(json: JSONView) throws(WireError) {
      serverChangeToken = try json.optionalString("serverChangeToken")
      resultsLimit = json["resultsLimit"]?.int
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var notifications: [NumberedNotification]
    /// The IDs of the notifications that a device has marked as read since the server issued the
    /// request's change token.
    public var readIDs: [String]
    public var serverChangeToken: String
    public var moreComing: Bool

    public init(
      notifications: [NumberedNotification], readIDs: [String], serverChangeToken: String,
      moreComing: Bool
    ) {
      self.notifications = notifications
      self.readIDs = readIDs
      self.serverChangeToken = serverChangeToken
      self.moreComing = moreComing
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("notifications", array: notifications)
        writer.member("readIDs", strings: readIDs)
        writer.member("serverChangeToken", serverChangeToken)
        writer.member("moreComing", moreComing)
      }
    }

    public init(json: JSONView) throws(WireError) {
      notifications = try json.requiredArray("notifications")
      readIDs = try json.strings("readIDs") ?? []
      serverChangeToken = try json.requiredString("serverChangeToken")
      moreComing = try json.optionalBool("moreComing") ?? false
    }
  }
}
