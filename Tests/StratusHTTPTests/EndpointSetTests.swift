import HTTPTypes
import StratusHTTP
import StratusTesting
import Testing

/// The operator's endpoints and the clients' endpoints listen on separate sockets.
@Suite struct `The endpoints of each socket` {
  @Test func `the clients' socket does not have the operator's endpoints`() async throws {
    try await withServer { server in
      var router = server.router
      router.endpointSet = .clients
      let answer = try await Client(router: router).send(
        .post, "/management/1/containers/list",
        headers: ["Authorization": "Bearer \(server.managementToken)"])
      #expect(answer.status == 404)
      var anna = try await server.client("anna@example.org")
      anna = Client(
        router: router, apiToken: anna.apiToken, webAuthToken: anna.webAuthToken)
      #expect(try await anna.get("users/caller").status == 200)
    }
  }

  @Test func `the operator's socket does not have the clients' endpoints`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      var router = server.router
      router.endpointSet = .management
      let answer = try await Client(
        router: router, apiToken: anna.apiToken, webAuthToken: anna.webAuthToken
      ).get("users/caller")
      #expect(answer.status == 404)
      let list = try await Client(router: router).send(
        .post, "/management/1/containers/list",
        headers: ["Authorization": "Bearer \(server.managementToken)"])
      #expect(list.status == 200)
    }
  }
}
