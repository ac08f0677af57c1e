import StratusDomain
import StratusWire

/// Answers ``ListNodes``.
struct ListNodesHandler: ManagementHandler {
  typealias Endpoint = ListNodes

  let nodes: StorageNodes

  func answer(_ request: EmptyRequest) async throws(ServerError) -> ListNodes.Response {
    let upgrades = try await nodes.upgrades()
    return ListNodes.Response(
      nodes: try await nodes.list(), upgrades: upgrades.items, upgradesCount: upgrades.count)
  }
}

/// Answers ``DrainNode``.
struct DrainNodeHandler: ManagementHandler {
  typealias Endpoint = DrainNode

  let nodes: StorageNodes
  let draining: Draining
  let ambient: Ambient

  func answer(_ request: DrainNode.Request) async throws(ServerError) -> NodeItem {
    guard (0...3_600).contains(request.seconds) else {
      throw .badRequest("'seconds' must be 0 to 3600")
    }
    try await nodes.drain()
    draining.begin(closingAt: ambient.now() + request.seconds * 1_000)
    guard let node = try await nodes.list().first(where: \.isCalled) else {
      throw .fault("the node has lost its row in the table of nodes")
    }
    return node
  }
}
