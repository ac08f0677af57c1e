/// `notifications/acknowledge`: reports that the calling device has received all notifications up
/// to a number. Apple's service has no such endpoint.
public enum AcknowledgeNotifications: Endpoint {
  public static let path = "notifications/acknowledge"

  public struct Request: JSONWritable, JSONReadable {
    public var through: Int64

    public init(through: Int64) { self.through = through }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("through", through) }
    }

    public init(json: JSONView) throws(WireError) {
      guard let through = json["through"]?.int64 else { throw .missing("through") }
      self.through = through
    }
  }

  public typealias Response = EmptyRequest
}
