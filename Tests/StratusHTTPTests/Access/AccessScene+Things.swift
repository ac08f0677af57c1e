import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// Makes the records, zones, subscriptions, shares and tokens of the callers.
extension AccessScene {
  func target(of cell: AccessCell) -> AccessAttempt.Target {
    let holder = cell.subject == .others ? cell.caller.victim : cell.caller
    let isAbsent = cell.subject == .absent
    let secret: JSON =
      switch cell.attempt.endpoint {
      case "tokens/register": isAbsent ? "no token" : couriers[holder] ?? "none"
      case "users/token": .string(apiToken)
      case "users/discover", "users/lookup/id":
        .string(isAbsent ? "_00000000000000000000000000000000" : names[holder] ?? "none")
      case "users/lookup/email": .string(isAbsent ? "nobody@example.org" : holder.email)
      default: isAbsent ? "0NEa3AEPXwK71VM4gHFnvh2kw" : shares[holder] ?? "none"
      }
    return AccessAttempt.Target(
      cell: cell, zoneID: zoneID(of: cell), tag: tags[cell.recordName] ?? "zz", secret: secret)
  }

  private func zoneID(of cell: AccessCell) -> JSON? {
    let owner = JSON.string(names[cell.subject == .own ? cell.caller : cell.caller.victim] ?? "")
    let isAboutRecords = cell.attempt.isAboutRecords
    switch (cell.database, cell.subject) {
    case (.public, .own): return nil
    case (.public, _) where isAboutRecords: return nil
    // NB: `where` applies only to the pattern before it.
    case (.private, .own) where isAboutRecords, (.private, .absent) where isAboutRecords:
      return ["zoneName": "Vault"]
    case (.private, .own):
      let zones = ["zones/modify delete": "Spare", "encryption/wrap": "Sealed"]
      return ["zoneName": .string(zones[cell.attempt.name] ?? "Vault")]
    case (.shared, .absent): return ["zoneName": "Nowhere", "ownerRecordName": owner]
    case (_, .absent): return ["zoneName": .string("Nowhere-\(cell.attempt.operation)")]
    default: return ["zoneName": "Vault", "ownerRecordName": owner]
    }
  }

  /// In production, the schema must have the record types before the first save.
  func makeSchema() async throws {
    guard environment == "production" else { return }
    var developer = try await server.visitor("developer@example.org")
    developer.container = ConsoleScene.container
    for type in AccessType.allCases {
      try await developer.save(
        "example-\(type.rawValue)",
        fields: ["label": ["value": "x"], "photo": ["value": developer.upload(abc)]],
        type: type.rawValue)
      _ = try await developer.found("EQUALS", "label", "x", type: type.rawValue)
      // The subscriptions have queries without filters. In production, such a query needs index
      // marks.
      _ = try await developer.names(["recordType": .string(type.rawValue)])
    }
    try await server.manage("schema/deploy", ["containerID": "\(ConsoleScene.container)"])
  }

  mutating func makeThings() async throws {
    for caller in AccessCaller.allCases where caller.isUser {
      if caller.hasAccount { try await makePrivateThings(of: caller) }
      let databases: [AccessDatabase] = caller.hasAccount ? [.public, .private] : [.public]
      for database in databases {
        let photo = try await photo(of: caller, in: database)
        let cells = AccessCell.all.filter {
          $0.database == database && $0.attempt.isAboutRecords && $0.subject != .absent
            && ($0.subject == .own ? $0.caller : $0.caller.victim) == caller
        }
        try await makeRecords(of: cells, by: caller, in: database, photo)
      }
      try await makeSubscriptions(by: caller)
    }
  }

  private mutating func makePrivateThings(of caller: AccessCaller) async throws {
    let zones = ["Vault", "Spare", "Sealed"].map { name -> JSON in
      ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
    }
    try await ask(caller, .private, "zones/modify", ["operations": .array(zones)])
    try await ask(
      caller, .private, "encryption/register", ["publicKey": .string(Self.publicKey)])
    let root: JSON = ["recordName": "root", "recordType": "Note", "fields": [:]]
    let share: JSON = [
      "recordName": "Share-1", "recordType": "cloudkit.share",
      "forRecord": ["recordName": "root"], "publicPermission": "NONE",
    ]
    let made = try await ask(
      caller, .private, "records/modify",
      [
        "zoneID": ["zoneName": "Vault"],
        "operations": .array([root, share].map { ["operationType": "create", "record": $0] }),
      ])
    shares[caller] = made["records"][1]["shortGUID"]
  }

  /// Uploads a file. Its receipt is valid in one database.
  private func photo(of caller: AccessCaller, in database: AccessDatabase) async throws -> JSON {
    var body: JSON = [
      "tokens": [["recordName": "n", "recordType": "Note", "fieldName": "photo"]]
    ]
    if database == .private { body = body.with("zoneID", ["zoneName": "Vault"]) }
    let made = try await ask(caller, database, "assets/upload", body)
    return try await client(caller, database).upload(abc, to: made["tokens"][0]["url"].string)
  }

  private mutating func makeRecords(
    of cells: [AccessCell], by caller: AccessCaller, in database: AccessDatabase, _ photo: JSON
  ) async throws {
    let operations = cells.map { cell -> JSON in
      var fields: JSON = ["label": ["value": .string(cell.recordName)]]
      if cell.attempt.endpoint == "assets/rereference" {
        fields = fields.with("photo", ["value": photo])
      }
      return [
        "operationType": "create",
        "record": [
          "recordName": .string(cell.recordName), "recordType": .string(cell.type.rawValue),
          "fields": fields,
        ],
      ]
    }
    for start in stride(from: 0, to: operations.count, by: 200) {
      var body: JSON = ["operations": .array(Array(operations.dropFirst(start).prefix(200)))]
      if database == .private { body = body.with("zoneID", ["zoneName": "Vault"]) }
      let made = try await ask(caller, database, "records/modify", body)
      for record in made["records"].array ?? [] {
        tags[record["recordName"].string ?? ""] = record["recordChangeTag"]
      }
    }
  }

  private func makeSubscriptions(by caller: AccessCaller) async throws {
    for database in [AccessDatabase.public, .private, .shared] {
      if database != .public, !caller.hasAccount { continue }
      let cells = AccessCell.all.filter {
        $0.database == database && $0.attempt.endpoint.hasPrefix("subscriptions/")
          && [.own, .others].contains($0.subject)
          && ($0.subject == .own ? $0.caller : $0.caller.victim) == caller
      }
      let operations = cells.map { cell -> JSON in
        ["operationType": "create", "subscription": target(of: cell).subscription]
      }
      try await ask(
        caller, database, "subscriptions/modify", ["operations": .array(operations)])
    }
  }

  /// Makes the role *Editor*, grants it, and sets the grants of the record types.
  func useGrants() async throws {
    let address = StoreAddress(
      container: ConsoleScene.container,
      environment: environment == "production" ? .production : .development)
    let store = try await server.store(at: address)
    try await store.write { (store) throws(ServerError) in
      try store.set(customRoles: ["Editor"])
      for type in AccessType.allCases {
        let roles = type.grants.mapValues { words in
          var permissions: RecordPermissions = []
          if words.contains("READ") { permissions.insert(.read) }
          if words.contains("CREATE") { permissions.insert(.create) }
          if words.contains("WRITE") { permissions.insert(.write) }
          return permissions
        }
        try store.set(RecordGrants(roles: roles), of: type.rawValue)
      }
    }
    try await server.manage(
      "roles/grant",
      [
        "containerID": "\(ConsoleScene.container)", "environment": .string(environment),
        "email": .string(AccessCaller.roleHolder.email), "role": "Editor",
      ])
  }
}
