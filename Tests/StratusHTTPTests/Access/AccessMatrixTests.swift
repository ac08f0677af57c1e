import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// Every kind of caller sends every kind of request to every database: about its own things, about
/// things of others, and about things that do not exist. ``AccessRules`` has the expected results.
@Suite struct `The authorization matrix` {
  @Test(arguments: ["development", "production"])
  func `every kind of caller gets the expected result of every request`(
    environment: String
  ) async throws {
    try await ConsoleScene.with { console in
      let scene = try await AccessScene(console, in: environment)
      var wrong = 0
      for cell in AccessCell.all {
        let (result, expected) = (try await scene.result(of: cell), AccessRules.result(of: cell))
        if result != expected {
          wrong += 1
          Issue.record("\(cell): \(result), expected \(expected)")
        }
      }
      print("callers in \(environment): \(AccessCell.all.count) cells, \(wrong) wrong")
    }
  }

  @Test func `the matrix has all endpoints of databases and devices`() async throws {
    try await withServer { server in
      let tried = Set(AccessAttempt.all.map(\.endpoint))
      #expect(Set(server.router.endpointPaths) == tried)
    }
  }

  /// Returns the body of a request to an operator's endpoint. The request names a container that
  /// does not exist, so that an allowed request changes nothing.
  private func body(in environment: String) -> JSON {
    [
      "containerID": "iCloud.org.example.None", "environment": .string(environment),
      "email": "nobody@example.org", "role": "x", "id": "x",
    ]
  }

  @Test(arguments: ["development", "production"])
  func `only the management token and permitted team members open the operator's endpoints`(
    environment: String
  ) async throws {
    try await ConsoleScene.with { console in
      let scene = try await AccessScene(console, in: environment)
      var (cells, wrong) = (0, 0)
      for path in scene.server.router.managementPaths {
        for caller in AccessCaller.allCases {
          let result = try await scene.management(path, body(in: environment), as: caller)
          let expected = AccessRules.management(path, caller, in: environment)
          cells += 1
          if result != expected {
            wrong += 1
            Issue.record("\(caller) \(path) in \(environment): \(result), expected \(expected)")
          }
        }
      }
      print("operator's endpoints in \(environment): \(cells) cells, \(wrong) wrong")
    }
  }
}
