import StratusTesting
import Testing

/// Ann owns the zone `Trips` with the trees Rome > Forum > Arch and Paris > Louvre, and the record
/// Plans. Bob, Cid and Dora are other users of the container.
struct ShareScene {
  let server: TestServer
  /// The environment of all clients of the scene.
  let environment: String
  let ann: Client
  let annName: String

  /// The zone ID that the owner uses.
  let own: JSON = ["zoneName": "Trips"]
  /// The zone ID with the owner, which all users can use.
  var zoneID: JSON { ["zoneName": "Trips", "ownerRecordName": .string(annName)] }

  /// - Parameter environment: `development`, or `production` with a schema that allows the records.
  init(_ server: TestServer, in environment: String = "development") async throws {
    self.server = server
    self.environment = environment
    var ann = try await server.client("ann@example.org")
    if environment == "production" {
      try await ann.save(
        "example",
        fields: ["title": ["value": "about"], "photo": ["value": ann.upload(abc)]], type: "Place")
      try await server.manage("schema/deploy", ["containerID": .string(ann.container)])
    }
    ann.environment = environment
    self.ann = ann
    annName = try #require(try await ann.post("users/caller")["userRecordName"].string)
    try await ann.makeZone("Trips")
    for (name, parent) in [
      ("Rome", nil), ("Forum", "Rome"), ("Arch", "Forum"), ("Paris", nil), ("Louvre", "Paris"),
      ("Plans", nil),
    ] as [(String, String?)] { try await save(name, below: parent) }
  }

  @discardableResult
  func save(_ name: String, below parent: String? = nil) async throws -> JSON {
    var record: JSON = [
      "recordName": .string(name), "recordType": "Place",
      "fields": ["title": ["value": .string("about " + name)]],
    ]
    if let parent { record = record.with("parent", ["recordName": .string(parent)]) }
    return try await ann.modify(
      [["operationType": "forceUpdate", "record": record]], in: "Trips")[0]
  }

  /// A client of a user for the shared database.
  func guest(_ name: String) async throws -> Client {
    var client = try await server.client(name + "@example.org")
    client.environment = environment
    client.database = "shared"
    return client
  }

  func name(of client: Client) async throws -> String {
    var client = client
    client.database = "public"
    return try #require(try await client.post("users/caller")["userRecordName"].string)
  }

  /// The participant dictionary that invites a user.
  func invited(_ name: String, _ permission: String = "READ_WRITE", type: String = "USER") -> JSON {
    [
      "type": .string(type), "permission": .string(permission), "acceptanceStatus": "INVITED",
      "userIdentity": ["lookupInfo": ["emailAddress": .string(name + "@example.org")]],
    ]
  }

  /// The operation that creates a share of a root record, or of the zone if the root is nil.
  func sharing(
    _ root: String?, named share: String = "Share-1", publicly permission: String = "NONE",
    with participants: [JSON] = []
  ) -> JSON {
    var record: JSON = [
      "recordName": .string(root == nil ? "cloudkit.zoneshare" : share),
      "recordType": "cloudkit.share", "publicPermission": .string(permission),
      "fields": ["cloudkit.title": ["value": "A trip", "type": "STRING"]],
      "participants": .array(participants),
    ]
    if let root { record = record.with("forRecord", ["recordName": .string(root)]) }
    return ["operationType": "create", "record": record]
  }

  /// Shares a root record, or the zone, and returns the share record.
  @discardableResult
  func share(
    _ root: String?, named share: String = "Share-1", publicly permission: String = "NONE",
    with participants: [JSON] = []
  ) async throws -> JSON {
    let made = try await ann.modify(
      [sharing(root, named: share, publicly: permission, with: participants)], in: "Trips")[0]
    try #require(made["serverErrorCode"].isNull, "\(made)")
    return made
  }

  /// Reads the share record, changes it, and saves it.
  @discardableResult
  func update(
    _ share: String = "Share-1", by client: Client? = nil, _ change: (JSON) -> JSON
  ) async throws -> JSON {
    let client = client ?? ann
    let zone = client.database == "shared" ? zoneID : own
    let found = try await client.post(
      "records/lookup", ["zoneID": zone, "records": [["recordName": .string(share)]]])
    let record = change(found["records"][0])
    return try await client.post(
      "records/modify",
      ["zoneID": zone, "operations": [["operationType": "update", "record": record]]])["records"][0]
  }

  func resolve(_ guid: JSON, as client: Client) async throws -> JSON {
    try await ask("records/resolve", guid, client)
  }

  @discardableResult
  func accept(_ guid: JSON, as client: Client) async throws -> JSON {
    try await ask("records/accept", guid, client)
  }

  private func ask(_ endpoint: String, _ guid: JSON, _ client: Client) async throws -> JSON {
    var client = client
    client.database = "public"
    return try await client.post(endpoint, ["shortGUIDs": [["value": guid]]])["results"][0]
  }

  /// Sends operations on the zone's records to the shared database.
  func modify(
    _ operations: JSON, as client: Client, atomic: JSON = nil
  ) async throws -> Client.Answer {
    var body: JSON = ["zoneID": zoneID, "operations": operations]
    if !atomic.isNull { body = body.with("atomic", atomic) }
    return try await client.answer("records/modify", body)
  }

  /// The names of the records that a client gets in its first sync of the zone.
  func records(of client: Client) async throws -> Set<String> {
    let page = try await client.post("changes/zone", ["zones": [["zoneID": zoneID]]])["zones"][0]
    return Set((page["records"].array ?? []).compactMap { $0["recordName"].string })
  }

  /// The names of the existing and of the deleted records in the page of changes after a token.
  func changes(
    of client: Client, since token: JSON = nil
  ) async throws -> (live: Set<String>, deleted: Set<String>, token: JSON, error: JSON) {
    let page = try await client.post(
      "changes/zone", ["zones": [["zoneID": zoneID, "syncToken": token]]])["zones"][0]
    let items = page["records"].array ?? []
    func names(_ deleted: Bool) -> Set<String> {
      Set(
        items.filter { ($0["deleted"] == true) == deleted }.compactMap { $0["recordName"].string })
    }
    return (names(false), names(true), page["syncToken"], page["serverErrorCode"])
  }
}

func withShares(_ body: (ShareScene) async throws -> Void) async throws {
  try await withServer { try await body(try await ShareScene($0)) }
}

/// An operation on a record of type Place.
func operation(_ kind: String, _ name: String, parent: String? = nil, tag: JSON = nil) -> JSON {
  var record: JSON = ["recordName": .string(name)]
  if !kind.lowercased().hasSuffix("delete") {
    record = record.with("recordType", "Place").with("fields", ["title": ["value": "changed"]])
  }
  if let parent { record = record.with("parent", ["recordName": .string(parent)]) }
  if !tag.isNull { record = record.with("recordChangeTag", tag) }
  return ["operationType": .string(kind), "record": record]
}
