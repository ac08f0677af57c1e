import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// A server with the users Ann and Bea. Everyone may read notes. Only its creator may read a diary
/// entry.
struct InterferenceScene {
  let server: TestServer
  let chance: PersonalChance
  let ann: Client
  let bea: Client
  let annName: String

  static func with<Result>(
    seed: UInt64, _ body: (InterferenceScene) async throws -> Result
  ) async throws -> Result {
    let chance = PersonalChance(seed: seed)
    let server = try await TestServer(live: chance.live)
    do {
      let result = try await body(try await InterferenceScene(server, chance))
      await server.stop()
      return result
    } catch {
      await server.stop()
      throw error
    }
  }

  private init(_ server: TestServer, _ chance: PersonalChance) async throws {
    (self.server, self.chance) = (server, chance)
    let developer = try await server.visitor("developer@example.org")
    for type in ["Note", "Diary"] {
      let photo = try await developer.upload(abc)
      try await developer.save(
        "example-\(type)",
        fields: [
          "title": ["value": "x"], "n": ["value": 0], "photo": ["value": photo],
        ], type: type)
      for field in ["title", "n"] {
        _ = try await developer.names([
          "recordType": .string(type), "sortBy": [.sort(field)],
          "filterBy": [.filter("GREATER_THAN", field, field == "n" ? -1 : "a")],
        ])
      }
    }
    let store = try await server.store(at: notes)
    try await store.write { (store) throws(ServerError) in
      let grants: [String: RecordPermissions] = ["_icloud": .create, "_creator": [.read, .write]]
      try store.set(RecordGrants(roles: grants), of: "Diary")
    }
    var people: [Client] = []
    for name in ["ann", "bea"] {
      var client = try await server.visitor("\(name)@example.org")
      client.extraQuery = "clientId=\(name)-phone"
      _ = try await client.post("users/caller")
      client.database = "private"
      try await client.makeZone("Home")
      people.append(client)
    }
    (ann, bea) = (people[0], people[1])
    annName = try await ann.userName()
  }
}

/// Ann's requests, whose effects Bea must not notice. Ann uses her private database. In the public
/// database, she uploads files, and uses diary entries, which only she may read.
struct HiddenRequests {
  let scene: InterferenceScene
  private var chance: SeededChance
  private var count = 0

  init(_ scene: InterferenceScene, seed: UInt64) {
    (self.scene, chance) = (scene, SeededChance(seed: seed))
  }

  /// Sends up to three requests.
  mutating func run() async throws {
    for _ in 0..<Int.random(in: 0...3, using: &chance) {
      count += 1
      let (endpoint, body) = next()
      var client = scene.ann
      client.database = Self.usesPublicDatabase(endpoint, body) ? "public" : "private"
      if endpoint == "file" {
        _ = try await client.upload(abc)
      } else if endpoint.hasPrefix("tokens/") || endpoint.hasPrefix("notifications/") {
        _ = try await client.ask(endpoint, body)
      } else {
        _ = try await client.send(.post, client.target(endpoint), body: body.bytes)
      }
    }
  }

  private static func usesPublicDatabase(_ endpoint: String, _ body: JSON) -> Bool {
    body["operations"][0]["record"]["recordType"] == "Diary"
      || body["query"]["recordType"] == "Diary"
      || endpoint == "file"
  }

  /// Returns a random name of a record. Ann may have saved this record before.
  private mutating func someName() -> JSON {
    .string("ann-\(Int.random(in: 0...count, using: &chance))")
  }

  private mutating func next() -> (String, JSON) {
    let name = someName()
    let zone: JSON = ["zoneName": .string(["Home", "Secret"].randomElement(using: &chance) ?? "")]
    let number = JSON.int(Int64.random(in: 0...9, using: &chance))
    let fields: JSON = ["title": ["value": "hidden \(count)"], "n": ["value": number]]
    func save(_ type: JSON, _ kind: JSON) -> JSON {
      let record: JSON = ["recordName": name, "recordType": type, "fields": fields]
      return ["operations": [["operationType": kind, "record": record]]]
    }
    switch Int.random(in: 0..<12, using: &chance) {
    case 0, 1, 2: return ("records/modify", save("Diary", "forceUpdate"))
    case 3: return ("records/modify", save("Diary", "forceDelete"))
    case 4, 5: return ("records/modify", save("Note", "forceUpdate").with("zoneID", zone))
    case 6:
      return (
        "zones/modify", ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]]
      )
    case 7: return ("records/query", ["query": ["recordType": "Diary", "sortBy": [.sort("n")]]])
    case 8: return ("file", [:])
    case 9: return ("tokens/create", ["apnsEnvironment": "development"])
    case 10:
      let subscription: JSON = [
        "subscriptionID": "s", "subscriptionType": "zone", "zoneID": ["zoneName": "Home"],
      ]
      return (
        "subscriptions/modify",
        ["operations": [["operationType": "create", "subscription": subscription]]]
      )
    default: return ("changes/zone", ["zones": [["zoneID": ["zoneName": "Home"]]]])
    }
  }
}
