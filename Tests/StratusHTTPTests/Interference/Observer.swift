import HTTPTypes
import StratusTesting
import Testing

/// Sends Bea's requests, and keeps all bytes that Bea receives.
struct Observer {
  let scene: InterferenceScene
  /// A description of each request, with all bytes of its answer.
  private(set) var observed: [String] = []
  private var chance: SeededChance
  private var count = 0
  private var tokens: [String: JSON] = [:]
  private var files: [String] = []

  init(_ scene: InterferenceScene, seed: UInt64) {
    (self.scene, chance) = (scene, SeededChance(seed: seed))
  }

  /// Sends one random request, and keeps the bytes of the answer.
  mutating func run() async throws {
    count += 1
    switch Int.random(in: 0..<15, using: &chance) {
    case 0, 1, 2: try await save(.random(using: &chance) ? "Note" : "Diary", "forceUpdate")
    case 3: try await save(.random(using: &chance) ? "Note" : "Diary", "forceDelete")
    case 4: try await lookUp()
    case 5, 6: try await query()
    case 7: try await saveInPrivate()
    case 8: try await follow("changes/database", ["syncToken": tokens["database"] ?? .null])
    case 9:
      let zone: JSON = ["zoneID": ["zoneName": "Home"], "syncToken": tokens["zone"] ?? .null]
      try await follow("changes/zone", ["zones": [zone]])
    case 10: try await transfer()
    case 11: try await subscribe()
    case 12:
      try await follow(
        "notifications/changes", ["serverChangeToken": tokens["notifications"] ?? .null])
    case 13: try await visit(["zones/list", "users/caller", "subscriptions/list"])
    default: try await tryAnnsZone()
    }
  }

  private mutating func name() -> JSON {
    .string("bea-\(Int.random(in: 0...count, using: &chance))")
  }

  /// Sends a request, and keeps the answer.
  @discardableResult
  private mutating func ask(
    _ endpoint: String, _ body: JSON, in database: String = "public"
  ) async throws -> JSON {
    var client = scene.bea
    client.database = database
    let isDevice = endpoint.hasPrefix("tokens/") || endpoint.hasPrefix("notifications/")
    let target = isDevice ? client.deviceTarget(endpoint) : client.target(endpoint)
    let answer = try await client.send(.post, target, body: body.bytes)
    let sent = String(decoding: try body.bytes, as: UTF8.self)
    note("\(endpoint) \(Masks.applied(to: sent))", answer.status, answer.headers, answer.bytes)
    return answer.json
  }

  private mutating func note(
    _ request: String, _ status: Int, _ headers: HTTPFields, _ bytes: [UInt8]
  ) {
    let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    let text = String(decoding: bytes, as: UTF8.self)
    observed.append("\(request)\n\(status)\n\(fields)\n\(Masks.applied(to: text))")
  }

  private mutating func save(_ type: JSON, _ kind: JSON) async throws {
    let fields: JSON = [
      "title": ["value": "mine \(count)"],
      "n": ["value": .int(Int64.random(in: 0...9, using: &chance))],
    ]
    let record: JSON = ["recordName": name(), "recordType": type, "fields": fields]
    try await ask(
      "records/modify", ["operations": [["operationType": kind, "record": record]]])
  }

  private mutating func lookUp() async throws {
    let hidden = "ann-\(Int.random(in: 0...count, using: &chance))"
    try await ask(
      "records/lookup",
      ["records": [["recordName": name()], ["recordName": .string(hidden)]]])
  }

  /// Reads all pages of a query.
  private mutating func query() async throws {
    let filter = JSON.filter("GREATER_THAN", "n", .int(Int64.random(in: -1...8, using: &chance)))
    let fields = ["n", "title"]
    var body: JSON = [
      "query": [
        "recordType": .random(using: &chance) ? "Note" : "Diary", "filterBy": [filter],
        "sortBy": [.sort("n", ascending: .random(using: &chance))],
      ],
      "resultsLimit": .int(Int64.random(in: 1...4, using: &chance)),
      "desiredKeys": .array(
        fields.prefix(Int.random(in: 0...2, using: &chance)).map { .string($0) }),
    ]
    while true {
      let page = try await ask("records/query", body)
      if page["continuationMarker"].isNull { return }
      body = body.with("continuationMarker", page["continuationMarker"])
    }
  }

  private mutating func saveInPrivate() async throws {
    let record: JSON = [
      "recordName": name(), "recordType": "Note", "fields": ["title": ["value": "own \(count)"]],
    ]
    let kind: JSON = .random(using: &chance) ? "forceUpdate" : "forceDelete"
    try await ask(
      "records/modify",
      [
        "zoneID": ["zoneName": "Home"],
        "operations": [["operationType": kind, "record": record]],
      ], in: "private")
  }

  /// Reads the changes since the last page of a history.
  private mutating func follow(_ endpoint: String, _ body: JSON) async throws {
    let page = try await ask(endpoint, body, in: "private")
    switch endpoint {
    case "changes/database": tokens["database"] = page["syncToken"]
    case "changes/zone": tokens["zone"] = page["zones"][0]["syncToken"]
    default: tokens["notifications"] = page["serverChangeToken"]
    }
  }

  /// Uploads the bytes that Ann also uploads, saves them in a record, and downloads them.
  private mutating func transfer() async throws {
    let (record, type): (JSON, JSON) = (name(), .random(using: &chance) ? "Note" : "Diary")
    let made = try await ask(
      "assets/upload",
      ["tokens": [["recordName": record, "recordType": type, "fieldName": "photo"]]])
    guard let url = made["tokens"][0]["url"].string else { return }
    let sent = try await scene.bea.transfer(.post, url, abc)
    note("upload", sent.status, sent.headers, sent.bytes)
    let photo = try sent.json["singleFile"]
    let saved = try await ask(
      "records/modify",
      [
        "operations": [
          [
            "operationType": "forceUpdate",
            "record": [
              "recordName": record, "recordType": type, "fields": ["photo": ["value": photo]],
            ],
          ]
        ]
      ])
    guard let link = saved["records"][0]["fields"]["photo"]["value"]["downloadURL"].string else {
      return
    }
    let file = try await scene.bea.transfer(.get, link)
    note("download", file.status, file.headers, file.bytes)
  }

  private mutating func subscribe() async throws {
    let type: JSON = .random(using: &chance) ? "Note" : "Diary"
    let subscription: JSON = [
      "subscriptionID": type, "subscriptionType": "query",
      "firesOn": ["create", "update", "delete"],
      "query": ["recordType": type],
    ]
    try await ask(
      "subscriptions/modify",
      ["operations": [["operationType": "create", "subscription": subscription]]])
    try await ask("tokens/create", ["apnsEnvironment": "development"])
  }

  private mutating func visit(_ endpoints: [String]) async throws {
    for endpoint in endpoints { try await ask(endpoint, [:], in: "private") }
    try await ask("zones/list", [:])
    try await ask(
      "users/discover",
      [
        "lookupInfos": [
          ["emailAddress": "ann@example.org"], ["userRecordName": .string(scene.annName)],
          ["emailAddress": "nobody@example.org"],
        ]
      ])
  }

  private mutating func tryAnnsZone() async throws {
    for (zone, database) in [("Secret", "private"), ("Home", "shared")] {
      let zoneID: JSON = ["zoneName": .string(zone), "ownerRecordName": .string(scene.annName)]
      try await ask("zones/lookup", ["zones": [zoneID]], in: database)
      try await ask(
        "records/lookup", ["zoneID": zoneID, "records": [["recordName": "ann-1"]]], in: database)
      try await ask("changes/zone", ["zones": [["zoneID": zoneID]]], in: database)
    }
  }
}

/// The parts of answers that are not compared, with the reasons.
enum Masks {
  static func applied(to text: String) -> String {
    // The encryption of a continuation marker uses new random bits each time. Only the length of
    // the marker is compared. Because of the padding, it does not depend on the exact length of a
    // value.
    let text = text.replacing(/"continuationMarker":"([^"]*)"/) { match in
      "\"continuationMarker\":\(match.output.1.count)"
    }
    // A known exception (docs/internals/rights.md): a change tag begins with the change number of
    // the zone, and the public database has one zone for all users.
    return text.replacing(/"recordChangeTag":"[^"]*"/, with: "\"recordChangeTag\":\"\"")
  }
}
