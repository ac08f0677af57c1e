import ArgumentParser
import StratusServer
import StratusWire

/// `stratus nodes`.
struct NodesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "nodes",
    abstract: "Show the servers that work on the same PostgreSQL cluster, or drain one of them.",
    subcommands: [ListCommand.self, DrainCommand.self],
    defaultSubcommand: ListCommand.self)

  /// `stratus nodes list`.
  struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "Show the nodes, their last heartbeats, and unfinished upgrades of the tables.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
      let list = try await server.send(ListNodes.self, .init())
      if json { return say(json: list) }
      // NB: the times come from the database's clock, so the newest heartbeat counts as now.
      let now = list.nodes.map(\.seenAt).max() ?? 0
      for node in list.nodes { say(Self.line(node, now: now)) }
      for upgrade in list.upgrades { say(upgrade.sentence) }
      let further = list.upgradesCount - Int64(list.upgrades.count)
      if further > 0 { say("\(further) further stores are being upgraded") }
    }

    static func line(_ node: NodeItem, now: Int64) -> String {
      let state = node.isDraining ? "draining" : "active"
      let seen = max(0, now - node.seenAt) / 1_000
      let up = max(0, node.seenAt - node.startedAt) / 1_000
      return "\(node.name) \(state) version \(node.version), up \(up) s, seen \(seen) s ago"
        + (node.isCalled ? ", this node" : "")
    }
  }

  /// `stratus nodes drain`.
  struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "drain",
      abstract: "Prepare the called node for its stop.",
      discussion: """
        /health/ready reports the node as not ready, so that a load balancer uses other nodes. \
        After --seconds, the node closes its streams, and clients open them at other nodes. Stop \
        the node after that. A node does not return from draining; start it again.
        """)

    @OptionGroup var server: ServerOptions

    @Option(help: "The number of seconds until the streams are closed, 0 to 3600.")
    var seconds: Int64 = 10

    func run() async throws {
      let node = try await server.send(DrainNode.self, .init(seconds: seconds))
      say("the node \(node.name) drains, and closes its streams in \(seconds) s")
    }
  }
}
