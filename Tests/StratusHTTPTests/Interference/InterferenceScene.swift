import Foundation
import StratusDomain
import StratusPush
import StratusTesting
import StratusWire
import Testing

/// A server with the users Ann, Bea and Cleo. Everyone may read notes. Only the creator of a diary
/// entry may read it. Cleo shares a trip with Bea.
struct InterferenceScene {
  let server: TestServer
  let chance: PersonalChance
  let ann: Client
  let bea: Client
  let cleo: Client
  let annName: String
  let beaName: String
  let cleoName: String
  /// The ID in the URL of Cleo's share.
  let shareID: JSON

  /// Runs a test with the scene, and then ends all streams and stops the server.
  static func with<Result>(
    seed: UInt64, _ body: (InterferenceScene) async throws -> Result
  ) async throws -> Result {
    let chance = PersonalChance(seed: seed)
    // NB: the name of the server's own folder would come from the seed, too, so a second run at the
    // same time would use the same folder.
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-interference-" + UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try await TestServer(onDiskIn: folder, live: chance.live)
    do {
      let result = try await body(try await InterferenceScene(server, chance))
      server.hub.close()
      await server.stop()
      return result
    } catch {
      server.hub.close()
      await server.stop()
      throw error
    }
  }

  private init(_ server: TestServer, _ chance: PersonalChance) async throws {
    (self.server, self.chance) = (server, chance)
    try await Self.prepareSchema(of: server)
    var people: [Client] = []
    var names: [String] = []
    for name in ["ann", "bea", "cleo"] {
      var client = try await server.visitor("\(name)@example.org")
      client.extraQuery = "clientId=\(name)-phone"
      names.append(try await client.userName())
      client.database = "private"
      try await client.makeZone("Home")
      people.append(client)
    }
    (ann, bea, cleo) = (people[0], people[1], people[2])
    (annName, beaName, cleoName) = (names[0], names[1], names[2])
    shareID = try await Self.shareTrip(of: cleo, with: bea)
    try await server.setProfile(
      Profile(name: PersonName(given: "Cleo", family: "Example"), discoverability: .granted),
      of: "cleo@example.org")
  }

  /// Creates the record types and all indexes, so that no later request has to create them.
  private static func prepareSchema(of server: TestServer) async throws {
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
  }

  /// Shares a root with two records, and accepts the share.
  private static func shareTrip(of owner: Client, with guest: Client) async throws -> JSON {
    try await owner.makeZone("Trips")
    var operations: [JSON] = ["root", "trip-1", "trip-2"].map { name in
      let record: JSON = [
        "recordName": .string(name), "recordType": "Note", "fields": ["title": ["value": "about"]],
      ]
      return [
        "operationType": "create",
        "record": name == "root" ? record : record.with("parent", ["recordName": "root"]),
      ]
    }
    operations.append([
      "operationType": "create",
      "record": [
        "recordName": "share", "recordType": "cloudkit.share", "publicPermission": "NONE",
        "forRecord": ["recordName": "root"],
        "participants": [
          [
            "type": "USER", "permission": "READ_WRITE", "acceptanceStatus": "INVITED",
            "userIdentity": ["lookupInfo": ["emailAddress": "bea@example.org"]],
          ]
        ],
      ],
    ])
    let made = try await owner.modify(.array(operations), in: "Trips")
    let shareID = made[3]["shortGUID"]
    try #require(shareID.string != nil, "\(made)")
    var guest = guest
    guest.database = "public"
    _ = try await guest.post("records/accept", ["shortGUIDs": [["value": shareID]]])
    return shareID
  }

  /// Does the background work of the current person's requests.
  func doBackgroundWork() async throws {
    try await server.continueCascades()
    try await server.matchChanges()
    await server.handOutNotifications()
  }
}
