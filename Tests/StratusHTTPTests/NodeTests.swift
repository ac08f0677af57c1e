import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusServer

@Suite struct `Management of nodes` {
  private func drainedNodes(_ count: Int) -> (StorageNodes, DrainNodeHandler, Draining) {
    let draining = Draining()
    let nodes = StorageNodes(
      list: { () throws(ServerError) in
        (0..<count).map { number in
          NodeItem(
            name: "node-\(number)", version: "1", startedAt: 1, seenAt: 2,
            isDraining: draining.isDraining && number == 1, isCalled: number == 1)
        }
      },
      drain: { () throws(ServerError) in }, count: { count })
    let ambient = Ambient(now: { 10_000 }, makeUUID: { "" })
    return (nodes, DrainNodeHandler(nodes: nodes, draining: draining, ambient: ambient), draining)
  }

  @Test(.enabled(if: TestEngine.hasFiles, "it needs a server without PostgreSQL"))
  func `a server without PostgreSQL is its only node, and cannot drain`() async throws {
    try await withServer { server in
      let list = try await server.manage("nodes/list", [:])
      let answer = try await Client(router: server.router).send(
        .post, "/management/1/nodes/drain",
        headers: ["Authorization": "Bearer \(server.managementToken)"], body: ([:] as JSON).bytes)
      #expect(list["nodes"][0]["called"] == true)
      #expect(list["nodes"][0]["draining"] == false)
      #expect(answer.status == 400)
    }
  }

  @Test func `a draining node is not ready, and closes its streams once after the delay`()
    async throws
  {
    let (_, handler, draining) = drainedNodes(3)
    #expect(await draining.faults().isEmpty)
    #expect(!draining.mustClose(at: .max))
    let node = try await handler.answer(DrainNode.Request(seconds: 5))
    #expect(node.name == "node-1")
    #expect(node.isDraining)
    #expect(await draining.faults().map(\.name) == ["draining"])
    #expect(!draining.mustClose(at: 14_999))
    #expect(draining.mustClose(at: 15_000))
    #expect(!draining.mustClose(at: 15_001))
    #expect(draining.isDraining)
  }

  @Test func `the list of nodes has the unfinished upgrades, and describes them`() async throws {
    var (nodes, _, _) = drainedNodes(1)
    let store = UpgradeItem(
      containerID: "iCloud.org.a", environment: "development", layout: 14, target: 14,
      doneSteps: 2, allSteps: 4, filledTo: -3, waitsForNodes: false)
    let registry = UpgradeItem(
      containerID: nil, environment: nil, layout: 15, target: 16, doneSteps: 1, allSteps: nil,
      filledTo: nil, waitsForNodes: true)
    nodes.upgrades = { () throws(ServerError) in ([registry, store], 7) }
    let answer = try await ListNodesHandler(nodes: nodes).answer(EmptyRequest())
    #expect(answer.upgrades == [registry, store])
    #expect(answer.upgradesCount == 7)
    #expect(try ListNodes.Response(jsonBytes: answer.jsonBytes) == answer)
    #expect(
      store.sentence
        == "the store of iCloud.org.a (development) is being upgraded from layout 13 to 14: "
        + "2 of 4 steps done, rows up to the key -3 filled")
    #expect(
      registry.sentence == "the registry is being upgraded from layout 15 to 16: 1 steps done; "
        + "it waits for the end of all nodes of the earlier version")
  }

  @Test func `a server that cannot use its stores any more ends with the reason`() async throws {
    let error = await #expect(throws: StorageEnd.Reason.self) {
      try await StorageEnd(wait: { "the stores are lost" }).run()
    }
    #expect(error?.description == "the stores are lost")
    try await StorageEnd(wait: { nil }).run()
  }

  @Test(arguments: [-1, 3_601, Int64.max])
  func `a drain with a negative or too long delay is refused`(seconds: Int64) async throws {
    let (_, handler, draining) = drainedNodes(3)
    await #expect(throws: ServerError.self) {
      try await handler.answer(DrainNode.Request(seconds: seconds))
    }
    #expect(!draining.isDraining)
  }
}
