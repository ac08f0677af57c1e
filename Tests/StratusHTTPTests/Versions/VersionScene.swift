import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// A server with a moved clock that keeps the versions of records.
struct VersionScene {
  static let address = StoreAddress(
    container: "iCloud.org.example.Notes", environment: .development)
  static let place: JSON = [
    "containerID": "iCloud.org.example.Notes", "environment": "development",
  ]

  let server: TestServer
  let clock: MovedClock
  let anna: Client

  /// Runs a test with a user `anna` that has a zone `Work`.
  static func run(days: Int64 = 30, _ body: (VersionScene) async throws -> Void) async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let anna = try await server.client("anna@example.org")
      try await anna.makeZone("Work")
      let scene = VersionScene(server: server, clock: clock, anna: anna)
      if days > 0 { try await scene.keep(days: days) }
      clock.move(bySeconds: 10)
      try await body(scene)
    }
  }

  func keep(days: Int64) async throws {
    let answer = try await server.manage(
      "containers/configure", Self.place.with("versionDays", .int(days)))
    #expect(answer["versionDays"] == (days == 0 ? nil : .int(days)))
  }

  /// Moves the clock, and returns the time that it showed before.
  func moment(seconds: Int64 = 10) -> Int64 {
    let time = clock.now
    clock.move(bySeconds: seconds)
    return time
  }

  /// Runs all steps of a restore, and returns the sums of their numbers of records.
  @discardableResult
  func restore(
    to time: Int64, _ more: JSON = ["email": "anna@example.org"]
  ) async throws -> (restored: Int64, deleted: Int64, refused: Int64) {
    var request = Self.place.with("time", .int(time))
    for key in more.keys { request = request.with(key, more[key]) }
    var sum: (restored: Int64, deleted: Int64, refused: Int64) = (0, 0, 0)
    while true {
      let step = try await server.manage("versions/restore", request)
      sum.restored += try #require(step["restored"].integer)
      sum.deleted += try #require(step["deleted"].integer)
      for refusal in try #require(step["refusals"].array) {
        sum.refused += try #require(refusal["records"].integer)
      }
      guard let position = step["position"].string else { return sum }
      request = request.with("position", "\(position)")
    }
  }

  func extent() async throws -> JSON { try await server.manage("versions/show", Self.place) }

  func text(_ name: String, in zone: String? = "Work") async throws -> String? {
    try await anna.lookup([name], in: zone)[0]["fields"]["text"]["value"].string
  }

  func save(_ name: String, _ text: String, in zone: String? = "Work") async throws {
    let saved = try await anna.save(name, in: zone, fields: ["text": ["value": "\(text)"]])
    try #require(saved["serverErrorCode"].isNull, "\(saved)")
  }

  /// The types, parents and fields of all live records except user records.
  func contents() async throws -> [String: RecordContents] {
    try await server.store(at: Self.address).read { (store) throws(ServerError) in
      var found: [String: RecordContents] = [:]
      for address in try store.zonesWithVersions(after: nil, in: nil, limit: 1_000) {
        guard let zone = try store.zone(named: address.name, in: address.database) else { continue }
        let records = try store.recordChanges(
          in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false,
          limit: 10_000, sizeBytesMax: .max)
        for record in records where !record.isDeleted && record.type != "Users" {
          let values = (try? record.fields.values()) ?? []
          found["\(address.database) \(zone.name) \(record.name)"] = RecordContents(
            type: record.type, parent: record.parentRecordName,
            fields: Dictionary(values.map { ($0.key, $0.value) }) { $1 })
        }
      }
      return found
    }
  }
}

/// The parts of a record that a restore brings back.
struct RecordContents: Hashable, Sendable {
  var type: String
  var parent: String?
  var fields: [String: FieldValue]
}
