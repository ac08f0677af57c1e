import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusWire
import Testing

/// A caller of a server, with the tokens and the database that the caller uses.
struct Client: Sendable {
  let router: Router
  var container = "iCloud.org.example.Notes"
  var environment = "development"
  var database = "private"
  var apiToken: String?
  var webAuthToken: String?
  /// The network address of the caller.
  var clientAddress: String?
  /// The text that follows the tokens in the query of each URL.
  var extraQuery = ""

  /// An answer of the server.
  struct Answer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]
    let json: JSON

    func header(_ name: String) throws -> String? {
      headers[try #require(HTTPField.Name(name))]
    }
  }

  func target(_ endpoint: String) -> String {
    var query: [String] = []
    if let webAuthToken { query.append("ckWebAuthToken=\(Self.encode(webAuthToken))") }
    if let apiToken { query.append("ckAPIToken=\(apiToken)") }
    if !extraQuery.isEmpty { query.append(extraQuery) }
    let path = "/database/1/\(container)/\(environment)/\(database)/\(endpoint)"
    return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
  }

  static func encode(_ token: String) -> String {
    token.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
  }

  /// Sends bytes and expects JSON as the answer, whatever the status.
  func send(
    _ method: HTTPRequest.Method, _ target: String, headers: [String: String] = [:],
    body: [UInt8] = []
  ) async throws -> Answer {
    var head = HTTPRequest(
      method: method, scheme: "http", authority: "stratus.test", path: target)
    for (name, value) in headers {
      head.headerFields[try #require(HTTPField.Name(name))] = value
    }
    let (answer, answered) = await router.answer(
      head, body: WholeBody(body), from: clientAddress)
    let bytes = try await answered.collected()
    #expect(answer.headerFields[.contentType] == "application/json; charset=UTF-8")
    return Answer(
      status: answer.status.code, headers: answer.headerFields, bytes: bytes,
      json: try JSON(parsing: bytes))
  }

  func answer(_ endpoint: String, _ body: JSON) async throws -> Answer {
    let answer = try await send(.post, target(endpoint), body: body.bytes)
    try checkShape(of: answer, to: endpoint)
    return answer
  }

  /// Compares an answer with its shape in `/openapi.json`.
  private func checkShape(of answer: Answer, to endpoint: String) throws {
    let isError = answer.status != 200
    if !isError, !ShapeCheck.paths.contains(endpoint) { return }
    let fault = ShapeCheck.faultOfAnswer(
      try JSONView(parsing: answer.bytes), to: endpoint, isError: isError)
    #expect(fault == nil, "the answer of \(endpoint) differs from /openapi.json")
  }

  /// Sends a POST request and expects success.
  func post(_ endpoint: String, _ body: JSON = [:]) async throws -> JSON {
    let answer = try await answer(endpoint, body)
    try #require(answer.status == 200, "\(answer.json)")
    return answer.json
  }

  func get(_ endpoint: String) async throws -> Answer { try await send(.get, target(endpoint)) }

  func makeZone(_ name: String) async throws {
    let made = try await post(
      "zones/modify",
      ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "\(name)"]]]]])
    try #require(made["zones"][0]["serverErrorCode"].isNull, "\(made)")
  }

  func deleteZone(_ name: String) async throws {
    _ = try await post(
      "zones/modify",
      ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "\(name)"]]]]])
  }

  /// Saves a note and returns it as the server stores it.
  @discardableResult
  func save(
    _ name: String, in zone: String? = nil, fields: JSON = [:], type: String = "Note",
    _ kind: String = "forceUpdate", tag: String? = nil
  ) async throws -> JSON {
    var record: JSON = ["recordName": "\(name)", "recordType": "\(type)", "fields": fields]
    if let tag { record = record.with("recordChangeTag", "\(tag)") }
    return try await modify([["operationType": "\(kind)", "record": record]], in: zone)[0]
  }

  /// Sends operations and returns their results.
  func modify(_ operations: JSON, in zone: String? = nil, atomic: JSON = nil) async throws -> JSON {
    var body: JSON = ["operations": operations]
    if let zone { body = body.with("zoneID", ["zoneName": "\(zone)"]) }
    if !atomic.isNull { body = body.with("atomic", atomic) }
    return try await post("records/modify", body)["records"]
  }

  func lookup(_ names: [String], in zone: String? = nil) async throws -> JSON {
    var body: JSON = ["records": .array(names.map { ["recordName": "\($0)"] })]
    if let zone { body = body.with("zoneID", ["zoneName": "\(zone)"]) }
    return try await post("records/lookup", body)["records"]
  }

  /// One page of a zone's changes.
  func changes(in zone: String, since token: JSON = nil, _ more: JSON = [:]) async throws -> JSON {
    let item = more.with("zoneID", ["zoneName": "\(zone)"]).with("syncToken", token)
    return try await post("changes/zone", ["zones": [item]])["zones"][0]
  }
}
