/// One endpoint of CloudKit Web Services or an addition of Stratus, with its path, its request and
/// its answer.
///
/// The client and the server use the same definition.
public protocol Endpoint: Sendable {
  associatedtype Request: JSONReadable & JSONWritable
  associatedtype Response: JSONReadable & JSONWritable

  /// The path of the endpoint: an entity and an action, for example `records/modify`.
  static var path: String { get }

  /// The number of records, zones or subscriptions that a request saves or deletes. It is 0 if the
  /// request only reads.
  static func operationsCount(of request: Request) -> Int
}

extension Endpoint {
  /// Returns 0, because most endpoints only read.
  public static func operationsCount(of request: Request) -> Int { 0 }
}

/// A request whose JSON object has no members.
public struct EmptyRequest: JSONReadable, JSONWritable {
  public init() {}
  public init(json: JSONView) throws(WireError) {}
  public func write(to writer: inout JSONWriter) { writer.object { _ in } }
}
