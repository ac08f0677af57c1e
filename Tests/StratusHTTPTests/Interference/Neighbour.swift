import StratusTesting
import Testing

/// Cleo's requests, of which Bea may know: public notes, and records that Cleo shares with Bea.
struct Neighbour {
  let scene: InterferenceScene
  private var chance: SeededChance
  private var count = 0

  init(_ scene: InterferenceScene, seed: UInt64) {
    (self.scene, chance) = (scene, SeededChance(seed: seed))
  }

  /// Sends at most one request.
  mutating func run() async throws {
    count += 1
    var client = scene.cleo
    let fields: JSON = [
      "title": ["value": "of Cleo"], "n": ["value": .int(Int64.random(in: 0...9, using: &chance))],
    ]
    let kind: JSON = Int.random(in: 0..<4, using: &chance) == 0 ? "forceDelete" : "forceUpdate"
    let number = Int.random(in: 0...4, using: &chance)
    switch Int.random(in: 0..<4, using: &chance) {
    case 0:
      client.database = "public"
      let record: JSON = [
        "recordName": "cleo-\(number)", "recordType": "Note", "fields": fields,
      ]
      _ = try await client.modify([["operationType": kind, "record": record]])
    case 1:
      let record: JSON = [
        "recordName": "trip-\(number)", "recordType": "Note", "fields": fields,
        "parent": ["recordName": "root"],
      ]
      _ = try await client.modify([["operationType": kind, "record": record]], in: "Trips")
    default: break
    }
  }
}
