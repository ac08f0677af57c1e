/// Management: lists the nodes, which are the servers that work on the same stores, and the
/// unfinished upgrades of the tables.
public enum ListNodes: Endpoint {
  public static let path = "nodes/list"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable, Hashable {
    /// The nodes, in the order of their names.
    public var nodes: [NodeItem]
    /// The unfinished online upgrades, that of the registry first. The list may be cut.
    public var upgrades: [UpgradeItem]
    /// The number of all unfinished upgrades.
    public var upgradesCount: Int64

    public init(nodes: [NodeItem], upgrades: [UpgradeItem] = [], upgradesCount: Int64 = 0) {
      self.nodes = nodes
      self.upgrades = upgrades
      self.upgradesCount = upgradesCount
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("nodes", array: nodes)
        writer.member("upgrades", array: upgrades)
        writer.member("upgradesCount", upgradesCount)
      }
    }

    public init(json: JSONView) throws(WireError) {
      nodes = try json.requiredArray("nodes")
      upgrades = try json.array("upgrades")
      upgradesCount = try json.optionalNumber("upgradesCount") ?? 0
    }
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

/// How far the unfinished online upgrade of a store or of the registry has come.
public struct UpgradeItem: JSONWritable, JSONReadable, Hashable, Sendable {
  /// The store's container, or nil for the registry.
  public var containerID: String?
  /// The store's environment, or nil for the registry.
  public var environment: String?
  public var layout: Int64
  /// The layout to which the upgrade leads.
  public var target: Int64
  public var doneSteps: Int64
  /// The number of all steps, or nil if the called node does not know the upgrade.
  public var allSteps: Int64?
  /// The key of the last row that the present step has filled, or nil if it fills no rows.
  public var filledTo: Int64?
  /// Whether the upgrade goes on only after the end of all nodes of the earlier version.
  public var waitsForNodes: Bool

  public init(
    containerID: String?, environment: String?, layout: Int64, target: Int64, doneSteps: Int64,
    allSteps: Int64?, filledTo: Int64?, waitsForNodes: Bool
  ) {
    self.containerID = containerID
    self.environment = environment
    self.layout = layout
    self.target = target
    self.doneSteps = doneSteps
    self.allSteps = allSteps
    self.filledTo = filledTo
    self.waitsForNodes = waitsForNodes
  }

  /// A sentence for the operator.
  public var sentence: String {
    let what = containerID.map { "the store of \($0) (\(environment ?? "-"))" } ?? "the registry"
    let steps = allSteps.map { "\(doneSteps) of \($0)" } ?? "\(doneSteps)"
    let filled = filledTo.map { ", rows up to the key \($0) filled" } ?? ""
    let wait = waitsForNodes ? "; it waits for the end of all nodes of the earlier version" : ""
    return "\(what) is being upgraded from layout \(layout < target ? layout : target - 1) to "
      + "\(target): \(steps) steps done\(filled)\(wait)"
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("containerID", containerID)
      writer.member("environment", environment)
      writer.member("layout", layout)
      writer.member("target", target)
      writer.member("doneSteps", doneSteps)
      writer.member("allSteps", allSteps)
      writer.member("filledTo", filledTo)
      writer.member("waitsForNodes", waitsForNodes)
    }
  }

  public init(json: JSONView) throws(WireError) {
    containerID = try json.optionalString("containerID")
    environment = try json.optionalString("environment")
    layout = try json.optionalNumber("layout") ?? 0
    target = try json.optionalNumber("target") ?? 0
    doneSteps = try json.optionalNumber("doneSteps") ?? 0
    allSteps = try json.optionalNumber("allSteps")
    filledTo = json["filledTo"]?.int64
    waitsForNodes = try json.optionalBool("waitsForNodes") ?? false
  }
}
