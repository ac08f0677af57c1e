/// Management: lists the nodes, which are the servers that work on the same stores.
public enum ListNodes: Endpoint {
  public static let path = "nodes/list"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable, Hashable {
    /// The nodes, in the order of their names.
    public var nodes: [NodeItem]

    public init(nodes: [NodeItem]) { self.nodes = nodes }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in writer.member("nodes", array: nodes) }
    }

    public init(json: JSONView) throws(WireError) { nodes = try json.requiredArray("nodes") }
  }
}

/// Management: makes the called node drain, so that it can be stopped. `/health/ready` reports that
/// the node drains. Some seconds later its streams are closed, and clients open them at other
/// nodes.
public enum DrainNode: Endpoint {
  public static let path = "nodes/drain"

  public struct Request: JSONWritable, JSONReadable, Hashable {
    /// The seconds after which the streams are closed. In this time a load balancer notices that
    /// the node is not ready. The number is 0 to 3,600.
    public var seconds: Int64

    public init(seconds: Int64) { self.seconds = seconds }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in writer.member("seconds", seconds) }
    }

    public init(json: JSONView) throws(WireError) { seconds = json["seconds"]?.int64 ?? 10 }
  }

  public typealias Response = NodeItem
}

/// A node.
public struct NodeItem: JSONWritable, JSONReadable, Hashable, Sendable {
  /// The node's random name. A restarted node has a new name.
  public var name: String
  public var version: String
  /// The time when the node started, in milliseconds since 1970 UTC.
  public var startedAt: Int64
  /// The time of the node's last heartbeat, in milliseconds since 1970 UTC.
  public var seenAt: Int64
  /// Whether the node drains.
  public var isDraining: Bool
  /// Whether this node has answered the request.
  public var isCalled: Bool

  public init(
    name: String, version: String, startedAt: Int64, seenAt: Int64, isDraining: Bool,
    isCalled: Bool
  ) {
    self.name = name
    self.version = version
    self.startedAt = startedAt
    self.seenAt = seenAt
    self.isDraining = isDraining
    self.isCalled = isCalled
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("name", name)
      writer.member("version", version)
      writer.member("startedAt", startedAt)
      writer.member("seenAt", seenAt)
      writer.member("draining", isDraining)
      writer.member("called", isCalled)
    }
  }

  public init(json: JSONView) throws(WireError) {
    name = try json.requiredString("name")
    version = try json.requiredString("version")
    startedAt = json["startedAt"]?.int64 ?? 0
    seenAt = json["seenAt"]?.int64 ?? 0
    isDraining = json["draining"]?.bool ?? false
    isCalled = json["called"]?.bool ?? false
  }
}
