import HTTPTypes
import StratusTesting
import Testing

extension Observer {
  private mutating func record(_ name: String, _ type: JSON) -> JSON {
    let fields: JSON = [
      "title": ["value": "mine \(count)"],
      "n": ["value": .int(Int64.random(in: 0...9, using: &chance))],
    ]
    return ["recordName": .string(name), "recordType": type, "fields": fields]
  }

  /// Sends an operation on one record, and may remember the new tag of the record.
  @discardableResult
  private mutating func modify(
    _ kind: JSON, _ record: JSON, zoneID: JSON = nil, in database: String = "public"
  ) async throws -> JSON {
    var body: JSON = ["operations": [["operationType": kind, "record": record]]]
    if !zoneID.isNull { body = body.with("zoneID", zoneID) }
    let saved = try await ask("records/modify", body, in: database)["records"][0]
    // Only about half of the tags are remembered, so that later requests also send old tags.
    if Bool.random(using: &chance), let name = record["recordName"].string,
      !saved["recordChangeTag"].isNull
    {
      tags[name] = saved["recordChangeTag"]
    }
    return saved
  }

  mutating func save(_ type: JSON, _ kind: JSON) async throws {
    try await modify(kind, record(name(), type))
  }

  /// Creates a record, or changes one with a tag that may be old. A conflict contains the record.
  mutating func saveWithTag(_ type: JSON) async throws {
    let name = name()
    guard let tag = tags[name] else {
      try await modify("create", record(name, type))
      return
    }
    let kind: JSON = .random(using: &chance) ? "update" : "delete"
    try await modify(kind, record(name, type).with("recordChangeTag", tag))
  }

  mutating func lookUp() async throws {
    let hidden = "ann-\(Int.random(in: 0...count, using: &chance))"
    try await ask(
      "records/lookup",
      ["records": [["recordName": .string(name())], ["recordName": .string(hidden)]]])
  }

  /// Tries to change a note of Cleo's, which Bea may only read.
  mutating func tryCleosNote() async throws {
    let name = "cleo-\(Int.random(in: 0...4, using: &chance))"
    try await ask("records/lookup", ["records": [["recordName": .string(name)]]])
    try await modify("delete", ["recordName": .string(name)])
  }

  /// Reads all pages of a query.
  mutating func query() async throws {
    let filter = JSON.filter("GREATER_THAN", "n", .int(Int64.random(in: -1...8, using: &chance)))
    let sort = Bool.random(using: &chance) ? "n" : "title"
    var body: JSON = [
      "query": [
        "recordType": .random(using: &chance) ? "Note" : "Diary", "filterBy": [filter],
        "sortBy": [.sort(sort, ascending: .random(using: &chance))],
      ],
      "resultsLimit": .int(Int64.random(in: 1...4, using: &chance)),
      "desiredKeys": .array(
        ["n", "title"].prefix(Int.random(in: 0...2, using: &chance)).map { .string($0) }),
    ]
    while true {
      let page = try await ask("records/query", body)
      if page["continuationMarker"].isNull { return }
      body = body.with("continuationMarker", page["continuationMarker"])
    }
  }

  mutating func saveInPrivate() async throws {
    let zone: JSON = ["zoneName": .random(using: &chance) ? "Home" : "Extra"]
    try await modify(
      .random(using: &chance) ? "forceUpdate" : "forceDelete", record(name(), "Note"),
      zoneID: zone, in: "private")
  }

  mutating func changeTrip() async throws {
    let name = "trip-\(Int.random(in: 0...4, using: &chance))"
    let changed = record(name, "Note").with("parent", ["recordName": "root"])
    try await modify(
      .random(using: &chance) ? "forceUpdate" : "forceDelete", changed, zoneID: scene.trips,
      in: "shared")
  }

  /// Uploads bytes that Ann may also have uploaded, saves them in a record, asks for a new receipt,
  /// and downloads the bytes.
  mutating func transfer() async throws {
    let (name, type): (String, JSON) = (name(), .random(using: &chance) ? "Note" : "Diary")
    let made = try await ask(
      "assets/upload",
      [
        "tokens": [["recordName": .string(name), "recordType": type, "fieldName": "photo"]]
      ])
    guard let url = made["tokens"][0]["url"].string else { return }
    let bytes = Bool.random(using: &chance) ? abc : Array("file \(count % 5)".utf8)
    let sent = try await scene.bea.transfer(.post, url, bytes)
    note("upload", sent.status, sent.headers, sent.bytes)
    let photo = try sent.json["singleFile"]
    let saved = try await modify(
      "forceUpdate",
      [
        "recordName": .string(name), "recordType": type, "fields": ["photo": ["value": photo]],
      ])
    try await ask(
      "assets/rereference",
      ["assets": [["recordName": .string(name), "fieldName": "photo"]]])
    guard let link = saved["fields"]["photo"]["value"]["downloadURL"].string else { return }
    let file = try await scene.bea.transfer(.get, link)
    note("download", file.status, file.headers, file.bytes)
  }
}
