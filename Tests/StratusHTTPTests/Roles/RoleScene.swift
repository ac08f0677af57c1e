import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Testing

extension TestServer {
  /// Replaces the custom roles of a container, and the grants of the type Note.
  func setGrants(
    _ grants: [String: RecordPermissions], customRoles: Set<String>? = nil,
    at address: StoreAddress = notes
  ) async throws {
    let store = try await store(at: address)
    try await store.write { (store) throws(ServerError) in
      if let customRoles { try store.set(customRoles: customRoles) }
      if try store.schema().recordTypes["Note"] == nil {
        try store.add(SchemaAddition(recordTypes: ["Note"]))
      }
      try store.set(RecordGrants(roles: grants), of: "Note")
    }
  }

  /// Sends an operator's request about a role.
  func changeRole(_ verb: String, _ role: String, of email: String) async throws {
    try await manage("roles/\(verb)", Self.request(role, of: email))
  }

  /// Sends an operator's request that the server must refuse, and returns the error.
  func refusedRole(_ verb: String, _ request: JSON) async throws -> JSON {
    let answer = try await Client(router: router).send(
      .post, "/management/1/roles/\(verb)",
      headers: ["Authorization": "Bearer \(managementToken)"], body: request.bytes)
    answer.expectRefusal("\(verb) \(request)")
    return answer.json
  }

  static func request(_ role: String, of email: String) -> JSON {
    [
      "containerID": "\(notes.container)", "environment": "development", "email": "\(email)",
      "role": "\(role)",
    ]
  }

  /// A signed-in user of the public database.
  func visitor(_ email: String) async throws -> Client {
    var client = try await client(email)
    client.database = "public"
    return client
  }
}
