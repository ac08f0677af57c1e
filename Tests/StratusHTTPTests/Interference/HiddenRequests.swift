import HTTPTypes
import StratusTesting
import Testing

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
      client.extraQuery = "clientId=ann-\(Bool.random(using: &chance) ? "phone" : "laptop")"
      client.database = Self.usesPublicDatabase(endpoint, body) ? "public" : "private"
      if endpoint == "file" {
        let bytes = Bool.random(using: &chance) ? abc : Array("file \(count % 5)".utf8)
        let photo = try await client.upload(bytes)
        try await client.save("ann-\(count)", fields: ["photo": ["value": photo]], type: "Diary")
      } else if endpoint.hasPrefix("tokens/") || endpoint.hasPrefix("notifications/") {
        _ = try await client.ask(endpoint, as: "ann-phone", body)
      } else {
        _ = try await client.send(.post, client.target(endpoint), body: body.bytes)
      }
    }
  }

  private static func usesPublicDatabase(_ endpoint: String, _ body: JSON) -> Bool {
    body["operations"][0]["record"]["recordType"] == "Diary"
      || body["operations"][0]["subscription"]["subscriptionType"] == "query"
      || body["query"]["recordType"] == "Diary"
      || endpoint == "file"
  }

  /// Returns a random name of a record. Ann may have saved this record before.
  private mutating func someName() -> JSON {
    .string("ann-\(Int.random(in: 0...count, using: &chance))")
  }

  private mutating func next() -> (String, JSON) {
    let name = someName()
    let zoneName = ["Home", "Secret"].randomElement(using: &chance) ?? ""
    let zone: JSON = ["zoneName": .string(zoneName)]
    let number = JSON.int(Int64.random(in: 0...9, using: &chance))
    let title = String(repeating: "hidden ", count: Int.random(in: 1...40, using: &chance))
    let fields: JSON = ["title": ["value": .string(title)], "n": ["value": number]]
    func operation(_ kind: JSON, _ name: String, _ value: JSON) -> JSON {
      ["operations": [.object(["operationType": kind, name: value])]]
    }
    func save(_ type: JSON, _ kind: JSON) -> JSON {
      operation(
        kind, "record", ["recordName": name, "recordType": type, "fields": fields])
    }
    switch Int.random(in: 0..<17, using: &chance) {
    case 0, 1, 2: return ("records/modify", save("Diary", "forceUpdate"))
    case 3: return ("records/modify", save("Diary", "forceDelete"))
    case 4, 5: return ("records/modify", save("Note", "forceUpdate").with("zoneID", zone))
    case 6: return ("zones/modify", operation("create", "zone", ["zoneID": zone]))
    case 7: return ("zones/modify", operation("delete", "zone", ["zoneID": zone]))
    case 8: return ("records/query", ["query": ["recordType": "Diary", "sortBy": [.sort("n")]]])
    case 9: return ("file", [:])
    case 10: return ("tokens/create", ["apnsEnvironment": "development"])
    case 11:
      return (
        "subscriptions/modify",
        operation(
          "create", "subscription",
          ["subscriptionID": "s", "subscriptionType": "zone", "zoneID": ["zoneName": "Home"]])
      )
    case 12:
      return (
        "subscriptions/modify",
        operation(
          "create", "subscription",
          [
            "subscriptionID": "diary", "subscriptionType": "query",
            "firesOn": ["create", "update", "delete"], "query": ["recordType": "Diary"],
          ])
      )
    case 13:
      let share: JSON = [
        "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
        "publicPermission": "READ_ONLY",
      ]
      return ("records/modify", operation("create", "record", share).with("zoneID", zone))
    case 14: return ("notifications/changes", [:])
    case 15: return ("notifications/badge", ["badge": number])
    default: return ("changes/zone", ["zones": [["zoneID": ["zoneName": "Home"]]]])
    }
  }
}
