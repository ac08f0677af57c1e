/// `subscriptions/modify`: creates, replaces and deletes subscriptions.
public enum ModifySubscriptions: Endpoint {
  public static let path = "subscriptions/modify"

  /// Returns the number of operations in the request.
  public static func operationsCount(of request: Request) -> Int { request.operations.count }

  /// One subscription to save or delete.
  public enum Operation: Sendable, JSONWritable, JSONReadable {
    /// Creates the subscription, or replaces the one with the same ID. `create` and `update` have
    /// the same effect, because clients use both to repeat an earlier request.
    case save(Subscription)
    case delete(id: String)

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        switch self {
        case .save(let subscription):
          writer.member("operationType", "create")
          writer.member("subscription", subscription)
        case .delete(let id):
          writer.member("operationType", "delete")
          writer.member("subscription", SubscriptionID(id: id))
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      let kind = try json.requiredString("operationType")
      guard let subscription = json["subscription"] else { throw .missing("subscription") }
      switch kind {
      case "create", "update": self = .save(try Subscription(json: subscription))
      case "delete": self = .delete(id: try SubscriptionID(json: subscription).id)
      case _:
        throw WireError(
          "Unknown operationType '\(kind)'; subscriptions know create, update and delete")
      }
    }
  }

  public struct Request: JSONWritable, JSONReadable {
    public var operations: [Operation]

    public init(operations: [Operation]) { self.operations = operations }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("operations", array: operations) }
    }

    public init(json: JSONView) throws(WireError) {
      operations = try json.requiredArray("operations")
    }
  }

  public typealias Response = ListSubscriptions.Response
}
