import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// A server with callers that try every verb under the grants of a configuration.
struct GrantMatrix {
  let server: TestServer
  let callers: [MatrixCaller]
  /// The file that each caller uploaded, or nil for the anonymous caller.
  private let files: [JSON?]

  static let roles = ["_world", "_icloud", "_creator", "Editor", "Reviewer"]

  init(_ server: TestServer) async throws {
    self.server = server
    var callers = [
      MatrixCaller(name: "anonymous", user: nil, customRoles: [], client: server.otherUser)
    ]
    let people: [(String, [String])] = [
      ("ann", []), ("bob", []), ("cid", ["Editor"]), ("dee", ["Editor", "Reviewer"]),
    ]
    for (name, roles) in people {
      let client = try await server.visitor("\(name)@example.org")
      callers.append(
        MatrixCaller(
          name: name, user: try await client.userName(), customRoles: Set(roles), client: client))
    }
    self.callers = callers
    try await server.setGrants(
      RecordGrants.standard.roles, customRoles: ["Editor", "Reviewer", "Unused"])
    for (name, roles) in people {
      for role in roles { try await server.changeRole("grant", role, of: "\(name)@example.org") }
    }
    try await server.manage(
      "containers/configure",
      [
        "containerID": "\(notes.container)", "environment": "development",
        "allowsQueryExtensions": true,
      ])
    var files: [JSON?] = []
    for caller in callers {
      files.append(caller.user == nil ? nil : try await caller.client.upload(abc))
    }
    self.files = files
    let first = callers[1].client
    try await first.save("first", fields: ["n": ["value": -1], "kind": ["value": "base"]])
    for caller in callers where caller.user != nil {
      let made = try await caller.client.post("subscriptions/modify", Self.subscription("all"))
      try #require(made["subscriptions"][0]["serverErrorCode"].isNull, "\(made)")
    }
  }

  /// A query subscription to new records whose `kind` is "base". Each configuration creates one
  /// record of this kind.
  static func subscription(_ id: String, delete: Bool = false) -> JSON {
    let subscription: JSON = [
      "subscriptionID": "\(id)", "subscriptionType": "query", "firesOn": ["create"],
      "query": ["recordType": "Note", "filterBy": [.filter("EQUALS", "kind", "base")]],
    ]
    return [
      "operations": [
        ["operationType": delete ? "delete" : "create", "subscription": subscription]
      ]
    ]
  }

  /// Lets all callers try all verbs. Returns a sentence for each wrong cell, and the number of
  /// cells.
  func run(_ configuration: GrantConfiguration) async throws -> (wrong: [String], cells: Int) {
    let tags = try await makeRecords(configuration)
    try await server.setGrants(
      configuration.grants.mapValues { verbs in
        var permissions: RecordPermissions = []
        if verbs.contains("READ") { permissions.insert(.read) }
        if verbs.contains("CREATE") { permissions.insert(.create) }
        if verbs.contains("WRITE") { permissions.insert(.write) }
        return permissions
      })
    try await server.matchChanges()
    var wrong: [String] = []
    var count = 0
    for (index, caller) in callers.enumerated() {
      let rights = Rights(of: caller, isCreator: index == configuration.creator, in: configuration)
      let attempt = GrantAttempt(
        server: server, caller: caller, number: configuration.number, tags: tags)
      var expected = GrantOracle.reading(rights) + GrantOracle.anonymousWrites
      var found = try await attempt.reading()
      if caller.user == nil {
        found += try await attempt.anonymousWrites()
      } else {
        expected = GrantOracle.cells(rights)
        found += try await attempt.writing()
      }
      count += expected.count
      let results = Dictionary(uniqueKeysWithValues: found.map { ($0.verb, $0.result) })
      for cell in expected where results[cell.verb] != cell.result {
        wrong.append(
          "configuration \(configuration): \(cell.verb) of \(caller.name) must be "
            + "'\(cell.result)', is '\(results[cell.verb] ?? "untested")'")
      }
    }
    return (wrong, count)
  }

  /// Saves the records of a configuration under the standard grants.
  ///
  /// - Returns: the change tags of the records.
  private func makeRecords(_ configuration: GrantConfiguration) async throws -> [String: String] {
    try await server.setGrants(RecordGrants.standard.roles)
    let creator = callers[configuration.creator]
    let number = configuration.number
    var operations: [JSON] = [
      Self.create(
        "c\(number)",
        [
          "n": ["value": .int(Int64(number))], "kind": ["value": "base"],
          "photo": ["value": files[configuration.creator] ?? .null],
        ])
    ]
    for caller in callers where caller.user != nil {
      for verb in GrantAttempt.writes {
        operations.append(
          Self.create("c\(number)-\(caller.name)-\(verb)", ["kind": ["value": "other"]]))
      }
    }
    let saved = try await creator.client.modify(.array(operations))
    var tags: [String: String] = [:]
    for record in saved.array ?? [] {
      try #require(record["serverErrorCode"].isNull, "\(record)")
      tags[record["recordName"].string ?? ""] = record["recordChangeTag"].string
    }
    return tags
  }

  static func create(_ name: String, _ fields: JSON) -> JSON {
    [
      "operationType": "create",
      "record": ["recordName": "\(name)", "recordType": "Note", "fields": fields],
    ]
  }
}
