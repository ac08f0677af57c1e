/// `subscriptions/list`: returns all of the user's subscriptions in a database.
public enum ListSubscriptions: Endpoint {
  public static let path = "subscriptions/list"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable {
    public var subscriptions: [SubscriptionItem]

    public init(subscriptions: [SubscriptionItem]) { self.subscriptions = subscriptions }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("subscriptions", array: subscriptions) }
    }

    public init(json: JSONView) throws(WireError) {
      subscriptions = try json.requiredArray("subscriptions")
    }
  }
}
