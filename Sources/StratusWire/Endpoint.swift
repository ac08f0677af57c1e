/// One call of CloudKit Web Services: where it lives, what it takes, what it answers.
///
/// Stated once and used by both ends.
public protocol Endpoint: Sendable {
  associatedtype Request: JSONReadable & JSONWritable
  associatedtype Response: JSONReadable & JSONWritable

  /// Entity and action, e.g. `records/modify`.
  static var path: String { get }

  /// How many records, zones or subscriptions a request saves and deletes; 0 where it only reads.
  static func operationsCount(of request: Request) -> Int
}

extension Endpoint {
  /// None: most endpoints only read.
  public static func operationsCount(of request: Request) -> Int { 0 }
}

/// A request without contents.
public struct EmptyRequest: JSONReadable, JSONWritable {
  public init() {}
  public init(json: JSONView) throws(WireError) {}
  public func write(to writer: inout JSONWriter) { writer.object { _ in } }
}
