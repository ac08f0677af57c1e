/// One call of CloudKit Web Services: its path, its request and its answer.
///
/// Client and server use the same definition.
public protocol Endpoint: Sendable {
  associatedtype Request: JSONReadable & JSONWritable
  associatedtype Response: JSONReadable & JSONWritable

  /// The entity and the action, for example `records/modify`.
  static var path: String { get }

  /// The number of records, zones or subscriptions that a request saves and deletes. 0 if it only
  /// reads.
  static func operationsCount(of request: Request) -> Int
}

extension Endpoint {
  /// Returns 0, because most endpoints only read.
  public static func operationsCount(of request: Request) -> Int { 0 }
}

/// A request without contents.
public struct EmptyRequest: JSONReadable, JSONWritable {
  public init() {}
  public init(json: JSONView) throws(WireError) {}
  public func write(to writer: inout JSONWriter) { writer.object { _ in } }
}
