import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// The requests with which one caller tries every verb under the grants of one configuration. A
/// verb is a kind of access, such as a look-up or an update.
struct GrantAttempt {
  let server: TestServer
  let caller: MatrixCaller
  let number: Int
  /// The change tags of the configuration's records.
  let tags: [String: String]

  /// The operations that each caller tries on a record of its own.
  static let writes = [
    "update", "stale", "replace", "forceUpdate", "forceReplace", "delete", "forceDelete",
  ]

  private var base: String { "c\(number)" }

  func reading() async throws -> [GrantCell] {
    let client = caller.client
    let records = try await client.lookup([base, "no-such-record"])
    let found = records[0]["recordName"].string == base && records[0]["fields"].keys.count == 3
    let isMissing =
      records[0].with("recordName", "x").with("uuid", "x")
      == records[1].with("recordName", "x").with("uuid", "x")
    let query: JSON = [
      "recordType": "Note", "filterBy": [.filter("EQUALS", "n", .int(Int64(number)))],
    ]
    let page = try await client.answer("records/query", ["query": query])
    let count = try await client.answer("records/query", ["query": query, "countOnly": true])
    return [
      GrantCell(
        verb: "lookup",
        result: found ? "found" : isMissing ? "like a missing record" : "\(records)"),
      GrantCell(
        verb: "query", result: page.code ?? Self.found(page.json["records"].array?.count)),
      GrantCell(
        verb: "count",
        result: count.code ?? Self.found(count.json["count"].integer.map { Int($0) })),
    ]
  }

  private static func found(_ count: Int?) -> String {
    count == 1 ? "found" : count == 0 ? "not found" : "\(count ?? -1) records"
  }

  func anonymousWrites() async throws -> [GrantCell] {
    let token: JSON = ["recordName": "\(base)", "recordType": "Note", "fieldName": "photo"]
    let requests: [(String, String, JSON)] = [
      ("modify", "records/modify", ["operations": [GrantMatrix.create("x\(number)", [:])]]),
      ("upload", "assets/upload", ["tokens": [token]]),
      ("rereference", "assets/rereference", ["assets": [token]]),
      ("subscribe", "subscriptions/modify", GrantMatrix.subscription("x")),
    ]
    var cells: [GrantCell] = []
    for (verb, endpoint, body) in requests {
      let answer = try await caller.client.answer(endpoint, body)
      cells.append(GrantCell(verb: verb, result: answer.code ?? "ok"))
    }
    return cells
  }

  func writing() async throws -> [GrantCell] {
    try await modifying() + files() + subscribing()
  }

  private func name(_ verb: String) -> String { "c\(number)-\(caller.name)-\(verb)" }

  private func operation(_ kind: String, _ verb: String, tag: String? = nil) -> JSON {
    var record: JSON = [
      "recordName": "\(name(verb))", "recordType": "Note", "fields": ["m": ["value": 1]],
    ]
    if let tag { record = record.with("recordChangeTag", "\(tag)") }
    return ["operationType": "\(kind)", "record": record]
  }

  private func modifying() async throws -> [GrantCell] {
    func tag(_ verb: String) -> String? { tags[name(verb)] }
    let target: JSON = ["recordName": "\(base)", "action": "VALIDATE"]
    let attempts: [(verb: String, operation: JSON)] = [
      ("create", GrantMatrix.create(name("create"), [:])),
      ("create a taken name", GrantMatrix.create(base, [:])),
      ("update", operation("update", "update", tag: tag("update"))),
      ("update with an old tag", operation("update", "stale", tag: "zz")),
      ("replace", operation("replace", "replace", tag: tag("replace"))),
      ("forceUpdate", operation("forceUpdate", "forceUpdate")),
      ("forceReplace", operation("forceReplace", "forceReplace")),
      ("delete", operation("delete", "delete", tag: tag("delete"))),
      ("forceDelete", operation("forceDelete", "forceDelete")),
      ("reference", GrantMatrix.create(name("reference"), ["to": ["value": target]])),
    ]
    // The operation with a reference has a request of its own, in which no other operation names
    // the target.
    var items: [JSON] = []
    for part in [Array(attempts.dropLast()), Array(attempts.suffix(1))] {
      items += try await caller.client.modify(.array(part.map(\.operation))).array ?? []
    }
    let survives = try await isStored(name("forceDelete"))
    return zip(attempts, items).map { attempt, item in
      var result = item["serverErrorCode"].string ?? "ok"
      if !item["serverRecord"].isNull { result += " with record" }
      if attempt.verb == "forceDelete", result == "ok" {
        result = survives ? "deleted nothing" : "deleted"
      }
      return GrantCell(verb: attempt.verb, result: result)
    }
  }

  /// Returns whether the store contains the record, whatever the grants are.
  private func isStored(_ name: String) async throws -> Bool {
    try await server.store(at: notes).read { (store) throws(ServerError) in
      guard let zone = try store.zone(named: ZoneID.defaultZoneName, in: .public) else {
        return false
      }
      return try !store.records(named: [name], in: zone).isEmpty
    }
  }

  private func files() async throws -> [GrantCell] {
    let client = caller.client
    func upload(_ name: String) async throws -> String {
      let token: JSON = ["recordName": "\(name)", "recordType": "Note", "fieldName": "photo"]
      return try await client.answer("assets/upload", ["tokens": [token]]).code ?? "ok"
    }
    let again = try await client.post(
      "assets/rereference", ["assets": [["recordName": "\(base)", "fieldName": "photo"]]])
    return [
      GrantCell(verb: "upload", result: try await upload(base)),
      GrantCell(verb: "upload for a new record", result: try await upload("no-such-record")),
      GrantCell(
        verb: "rereference", result: again["assets"][0]["serverErrorCode"].string ?? "ok"),
    ]
  }

  private func subscribing() async throws -> [GrantCell] {
    let client = caller.client
    let made = try await client.post("subscriptions/modify", GrantMatrix.subscription("new"))
    let result = made["subscriptions"][0]["serverErrorCode"].string ?? "ok"
    if result == "ok" {
      _ = try await client.post(
        "subscriptions/modify", GrantMatrix.subscription("new", delete: true))
    }
    let queue = try await client.ask("notifications/changes", ["resultsLimit": 200])
    let isNotified = String(decoding: queue.bytes, as: UTF8.self).contains("\"c\(number)\"")
    return [
      GrantCell(verb: "subscribe", result: result),
      GrantCell(verb: "notification", result: isNotified ? "notified" : "not notified"),
    ]
  }
}
