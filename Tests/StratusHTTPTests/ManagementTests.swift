import HTTPTypes
import StratusTesting
import Testing

/// The operator's requests over HTTP.
@Suite struct ManagementEndpoints {
  /// Sends a request that the server must refuse.
  private func refuse(
    _ server: TestServer, _ endpoint: String, _ body: JSON, status: Int = 400
  ) async throws {
    let answer = try await Client(router: server.router).send(
      .post, "/management/1/\(endpoint)",
      headers: ["Authorization": "Bearer \(server.managementToken)"], body: body.bytes)
    answer.expectRefusal("\(endpoint) \(body)")
    #expect(answer.status == status)
  }

  @Test
  func `a container can be created once, and the list of containers is sorted`() async throws {
    try await withServer { server in
      try await server.manage("containers/create", ["containerID": "iCloud.test.b"])
      try await server.manage("containers/create", ["containerID": "iCloud.test.a"])
      let list = try await server.manage("containers/list", [:])
      #expect(list["containers"] == ["iCloud.test.a", "iCloud.test.b"])
      try await refuse(server, "containers/create", ["containerID": "iCloud.test.a"])
    }
  }

  @Test(arguments: ["notes", "iCloud.", "iCloud.a/b", "iCloud.a b", "iCloud.../x"])
  func `an illegal container ID is refused`(id: String) async throws {
    try await withServer { server in
      try await refuse(server, "containers/create", ["containerID": "\(id)"])
      #expect(try await server.manage("containers/list", [:])["containers"] == [])
    }
  }

  @Test func `an email address has one account, whatever the case of its letters`() async throws {
    try await withServer { server in
      try await server.manage("accounts/create", ["email": "Ann@Example.org"])
      try await refuse(server, "accounts/create", ["email": "ann@example.ORG"])
      try await refuse(server, "accounts/create", ["email": "ann"])
      try await refuse(server, "accounts/disable", ["email": "ben@example.org"], status: 404)
      try await server.manage("accounts/disable", ["email": "ANN@example.org"])
      let accounts = try await server.manage("accounts/list", [:])["accounts"]
      #expect(
        accounts[0]
          == ["email": "ann@example.org", "disabled": true, "restricted": false])
    }
  }

  @Test func `an API token needs an existing container and a valid environment`() async throws {
    try await withServer { server in
      let token: JSON = ["containerID": "iCloud.test.none", "environment": "development"]
      try await refuse(server, "api-tokens/create", token, status: 404)
      try await refuse(
        server, "api-tokens/create", ["containerID": "iCloud.test.a", "environment": "x"])
    }
  }

  @Test func `a schema deployment adds record types and fields to production`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      var production = anna
      production.environment = "production"
      let fields: JSON = ["title": ["value": "Milk"], "count": ["value": 1]]
      try await anna.save("n-1", fields: fields)
      let early = try await production.save("n-1", fields: fields)
      #expect(early["serverErrorCode"] == "BAD_REQUEST")

      let container: JSON = ["containerID": "\(anna.container)"]
      let deployed = try await server.manage("schema/deploy", container)
      #expect(deployed["recordTypes"] == ["Note"])
      #expect(deployed["fields"] == ["Note.count", "Note.title"])
      #expect(try await production.save("n-1", fields: fields)["serverErrorCode"].isNull)

      let unknown = try await production.save("n-2", fields: ["other": ["value": 1]])
      #expect(unknown["serverErrorCode"] == "BAD_REQUEST")
      let again = try await server.manage("schema/deploy", container)
      #expect(again["recordTypes"] == [] && again["fields"] == [] && again["indexes"] == [])
    }
  }
}
