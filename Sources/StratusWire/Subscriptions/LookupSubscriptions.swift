/// `subscriptions/lookup`: finds subscriptions by their IDs.
public enum LookupSubscriptions: Endpoint {
  public static let path = "subscriptions/lookup"

  public struct Request: JSONWritable, JSONReadable {
    public var ids: [String]

    public init(ids: [String]) { self.ids = ids }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("subscriptions", array: ids.map(SubscriptionID.init)) }
    }

    public init(json: JSONView) throws(WireError) {
      ids = try json.requiredArray("subscriptions", of: SubscriptionID.self).map(\.id)
    }
  }

  public typealias Response = ListSubscriptions.Response
}

/// A dictionary `{subscriptionID: …}`, or a whole subscription, of which only the ID is read.
struct SubscriptionID: JSONWritable, JSONReadable {
  let id: String

  init(id: String) { self.id = id }

  func write(to writer: inout JSONWriter) {
    writer.object { $0.member("subscriptionID", id) }
  }

  init(json: JSONView) throws(WireError) {
    try json.requireObject("a subscription")
    id = try json.requiredString("subscriptionID")
  }
}
