import HTTPTypes
import StratusTesting
import Testing

/// Sends Bea's requests, and keeps all bytes that Bea receives.
struct Observer {
  let scene: InterferenceScene
  /// The notification stream of Bea's laptop.
  let ear: Ear
  /// A description of each request, with all bytes of its answer.
  private(set) var observed: [String] = []
  var chance: SeededChance
  var count = 0
  /// The newest token of each history.
  var tokens: [String: JSON] = [:]
  /// The change tags of records, by name. Some of them are old.
  var tags: [String: JSON] = [:]
  /// The number of the newest notification.
  var newestNumber: JSON = 0

  init(_ scene: InterferenceScene, seed: UInt64) async throws {
    (self.scene, chance) = (scene, SeededChance(seed: seed))
    ear = try await Ear(
      scene.bea.deviceTarget("notifications/stream", clientID: "bea-laptop"), of: scene.bea)
    try await ask(
      "tokens/register",
      ["apnsEnvironment": "development", "apnsToken": .string(Self.apnsToken)], as: "bea-watch")
    for (id, database, more) in [
      ("notes", "public", ["subscriptionType": "query", "query": ["recordType": "Note"]]),
      ("diary", "public", ["subscriptionType": "query", "query": ["recordType": "Diary"]]),
      ("home", "private", ["subscriptionType": "zone", "zoneID": ["zoneName": "Home"]]),
      ("all", "private", ["subscriptionType": "database"]),
      ("shared", "shared", ["subscriptionType": "database"]),
    ] as [(String, String, JSON)] {
      try await subscribe(id, in: database, more)
    }
  }

  static let apnsToken = String(repeating: "ab", count: 32)

  private mutating func subscribe(_ id: String, in database: String, _ more: JSON) async throws {
    var subscription = more.with("subscriptionID", .string(id))
    if database == "public" {
      subscription = subscription.with("firesOn", ["create", "update", "delete"])
        .with("notificationInfo", ["alertBody": "New", "shouldBadge": true])
    }
    try await ask(
      "subscriptions/modify",
      ["operations": [["operationType": "create", "subscription": subscription]]], in: database)
  }

  /// Sends one random request, and keeps the bytes of the answer.
  mutating func run() async throws {
    count += 1
    let type: JSON = .random(using: &chance) ? "Note" : "Diary"
    switch Int.random(in: 0..<27, using: &chance) {
    case 0, 1, 2: try await save(type, "forceUpdate")
    case 3: try await save(type, "forceDelete")
    case 4, 5: try await saveWithTag(type)
    case 6: try await lookUp()
    case 7, 8: try await query()
    case 9: try await saveInPrivate()
    case 10: try await changeZones()
    case 11: try await followDatabase("private")
    case 12: try await followZone(["zoneName": "Home"], in: "private")
    case 13: try await followZone(["zoneName": "Extra"], in: "private")
    case 14: try await readPublicFeeds()
    case 15: try await transfer()
    case 16: try await listen()
    case 17: try await readNotifications()
    case 18: try await readPushes()
    case 19: try await visit(["zones/list", "users/current", "subscriptions/list"])
    case 20: try await findUsers()
    case 21: try await followDatabase("shared")
    case 22: try await followZone(scene.trips, in: "shared")
    case 23: try await changeTrip()
    case 24: try await useShare()
    case 25: try await tryCleosNote()
    default: try await tryAnnsZone()
    }
  }

  /// A random name of a record. Bea may have saved this record before.
  mutating func name() -> String { "bea-\(Int.random(in: 0...(count / 3), using: &chance))" }

  /// Sends a request, and keeps the answer.
  @discardableResult
  mutating func ask(
    _ endpoint: String, _ body: JSON, in database: String = "public", as device: String? = nil
  ) async throws -> JSON {
    var client = scene.bea
    client.database = database
    let device = device ?? (Bool.random(using: &chance) ? "bea-phone" : "bea-laptop")
    client.extraQuery = "clientId=\(device)"
    let isForDevice = endpoint.hasPrefix("tokens/") || endpoint.hasPrefix("notifications/")
    let target = isForDevice ? client.deviceTarget(endpoint) : client.target(endpoint)
    let answer = try await client.send(.post, target, body: body.bytes)
    let sent = String(decoding: try body.bytes, as: UTF8.self)
    note("\(endpoint) \(sent)", answer.status, answer.headers, answer.bytes)
    return answer.json
  }

  mutating func note(
    _ request: String, _ status: Int, _ headers: HTTPFields, _ bytes: [UInt8]
  ) {
    let fields = headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    let text = String(decoding: bytes, as: UTF8.self)
    note("\(request)\n\(status)\n\(fields)\n\(text)")
  }

  mutating func note(_ text: String) { observed.append(Masks.applied(to: text)) }
}

extension InterferenceScene {
  /// The ID of Cleo's zone, as Bea uses it.
  var trips: JSON { ["zoneName": "Trips", "ownerRecordName": .string(cleoName)] }
}
