import StratusTesting
import Testing

/// Every kind of user tries every operation at every position, in a hierarchical share and in a
/// zone-wide share. ``Expectation`` has the expected results.
@Suite struct `The matrix of participants` {
  @Test(arguments: ["development", "production"])
  func `every kind of user gets the expected result of every operation on shared records`(
    environment: String
  ) async throws {
    var (cells, wrong) = (0, 0)
    for form in ShareForm.allCases {
      for kind in Kind.allCases {
        try await withServer { server in
          let scene = try await ShareScene(server, in: environment)
          for operation in Attempt.allCases {
            for position in Position.allCases where operation.applies(to: position) {
              let cell = Cell(form: form, kind: kind, attempt: operation, position: position)
              let zone = "Z\(cells)"
              let result = try await MatrixZone(scene, zone, cell).result()
              let expected = Expectation(cell).code
              cells += 1
              if result != expected {
                wrong += 1
                Issue.record(
                  "\(form) \(kind) \(operation) \(position): \(result), expected \(expected)")
              }
            }
          }
        }
      }
    }
    print("participants in \(environment): \(cells) cells, \(wrong) wrong")
    #expect(cells == 2 * 16 * 48)
  }
}

enum ShareForm: CaseIterable { case hierarchy, zone }

enum Kind: CaseIterable {
  case owner, administrator, writer, reader, publicWriter, publicReader
  case pending, removed, left, elsewhere, stranger, anonymous
  /// The owner has set the permission of the user's entry to NONE.
  case withdrawn
  /// The share has a one-time URL for one participant, and the user does not have this URL.
  case oneTimePending
  /// The user was a participant until the owner blocked the user.
  case blocked
  /// The user has asked for access.
  case requester

  /// Whether the user has accepted the share and still participates.
  var participates: Bool {
    switch self {
    case .administrator, .writer, .reader, .publicWriter, .publicReader: true
    case .owner, .pending, .removed, .left, .elsewhere, .stranger, .anonymous, .withdrawn,
      .oneTimePending, .blocked, .requester:
      false
    }
  }

  var mayWrite: Bool {
    switch self {
    case .owner, .administrator, .writer, .publicWriter: true
    case .reader, .publicReader, .pending, .removed, .left, .elsewhere, .stranger, .anonymous,
      .withdrawn, .oneTimePending, .blocked, .requester:
      false
    }
  }

  var publicPermission: String {
    switch self {
    case .publicWriter: "READ_WRITE"
    case .publicReader: "READ_ONLY"
    default: "NONE"
    }
  }
}

enum Position: CaseIterable {
  case root, child, grandchild, share, outside, orphan, missing

  var recordName: String {
    switch self {
    case .root: "root"
    case .child: "child"
    case .grandchild: "grandchild"
    case .share: "Share-1"
    case .outside: "outside"
    case .orphan: "orphan"
    case .missing: "missing"
    }
  }
}

enum Attempt: CaseIterable {
  case lookup, query, feed, update, createBelow, moveOut, delete, resolve, accept, moveShare
  case requestAccess
  /// Adds a participant to the share.
  case invite
  /// Opens the share to all users with its URL.
  case publish

  func applies(to position: Position) -> Bool {
    switch self {
    case .lookup, .feed, .update, .delete: true
    // The query is for records of the type Place.
    case .query: position != .share
    case .createBelow: position != .share && position != .missing
    case .moveOut: [.root, .child, .grandchild].contains(position)
    case .resolve, .accept, .moveShare, .requestAccess, .invite, .publish: position == .share
    }
  }
}

struct Cell {
  let form: ShareForm
  let kind: Kind
  let attempt: Attempt
  let position: Position
}

/// The expected result: "OK", "absent" or an error code.
struct Expectation {
  let cell: Cell

  init(_ cell: Cell) { self.cell = cell }

  private var kind: Kind { cell.kind }

  /// Whether the caller sees the record at the position.
  private var isVisible: Bool {
    if cell.position == .missing { return false }
    if kind == .owner { return true }
    guard kind.participates else { return false }
    return cell.form == .zone || ![.outside, .orphan].contains(cell.position)
  }

  var code: String {
    if kind == .anonymous { return "AUTHENTICATION_REQUIRED" }
    if cell.attempt == .resolve || cell.attempt == .accept { return resolveCode }
    if cell.attempt == .requestAccess { return requestCode }
    if kind != .owner, !kind.participates {
      // A user of the kind "elsewhere" participates in another hierarchy of the zone.
      guard kind == .elsewhere, cell.form == .hierarchy else { return "ZONE_NOT_FOUND" }
      return elsewhereCode
    }
    switch cell.attempt {
    case .lookup: return isVisible ? "OK" : "NOT_FOUND"
    case .feed, .query: return isVisible ? "OK" : "absent"
    case .update, .moveOut, .moveShare, .invite, .publish: return saveCode
    case .createBelow: return createCode
    case .delete: return deleteCode
    case .resolve, .accept: return resolveCode
    case .requestAccess: return requestCode
    }
  }

  /// The expected code of a request for access. Only the kind `requester` has a share that takes
  /// requests.
  private var requestCode: String {
    switch kind {
    case .owner, .administrator, .writer, .reader, .publicWriter, .publicReader, .requester: "OK"
    // The user can accept the share already.
    case .pending, .left: "BAD_REQUEST"
    case .removed, .elsewhere, .stranger, .anonymous, .withdrawn, .oneTimePending, .blocked:
      "NOT_FOUND"
    }
  }

  private var saveCode: String {
    if cell.position == .share {
      return kind == .owner || kind == .administrator ? "OK" : "ACCESS_DENIED"
    }
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    if kind == .owner { return "OK" }
    if cell.form == .zone { return "OK" }
    switch cell.position {
    case .root: return "OK"
    case .child, .grandchild: return cell.attempt == .moveOut ? "ACCESS_DENIED" : "OK"
    // The update does not create a record, because a hidden record has the name.
    case .outside, .orphan: return "NOT_FOUND"
    // A participant can create a record only below a record of the share.
    case .missing, .share: return "ACCESS_DENIED"
    }
  }

  private var createCode: String {
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    return isVisible ? "OK" : "VALIDATING_REFERENCE_ERROR"
  }

  private var deleteCode: String {
    // A participant that deletes the share leaves the share. Hidden and missing records count as
    // deleted.
    if cell.position == .share || !isVisible { return "OK" }
    guard kind.mayWrite else { return "ACCESS_DENIED" }
    switch cell.position {
    // Only the owner may delete the root. A record with children cannot be deleted.
    case .root:
      return cell.form == .hierarchy && kind != .owner
        ? "ACCESS_DENIED" : "VALIDATING_REFERENCE_ERROR"
    case .child: return "VALIDATING_REFERENCE_ERROR"
    case .grandchild, .outside, .orphan, .share, .missing: return "OK"
    }
  }

  private var resolveCode: String {
    switch kind {
    // An invited user who left the share may accept it again.
    case .owner, .administrator, .writer, .reader, .publicWriter, .publicReader, .pending, .left:
      "OK"
    case .removed, .elsewhere, .stranger, .anonymous, .withdrawn, .oneTimePending, .blocked,
      .requester:
      "NOT_FOUND"
    }
  }

  /// The result for a caller that reads and writes only in the hierarchy of "outside".
  private var elsewhereCode: String {
    let isOwn = cell.position == .outside
    switch cell.attempt {
    case .lookup: return isOwn ? "OK" : "NOT_FOUND"
    case .feed, .query: return isOwn ? "OK" : "absent"
    case .update, .invite, .publish:
      if isOwn { return "OK" }
      // A participant can create neither shares nor records outside its share.
      return cell.position == .missing || cell.position == .share ? "ACCESS_DENIED" : "NOT_FOUND"
    case .moveOut: return "NOT_FOUND"
    case .createBelow: return isOwn ? "OK" : "VALIDATING_REFERENCE_ERROR"
    case .delete: return isOwn ? "ACCESS_DENIED" : "OK"
    case .resolve, .accept, .requestAccess: return "NOT_FOUND"
    // The share is hidden, so the request would create the record. A creation needs a record type.
    case .moveShare: return "BAD_REQUEST"
    }
  }
}

/// A zone in which a caller tries one cell of the matrix.
struct MatrixZone {
  let scene: ShareScene
  let zone: String
  let cell: Cell
  let caller: Client
  let guid: JSON

  private var zoneID: JSON {
    ["zoneName": .string(zone), "ownerRecordName": .string(scene.annName)]
  }

  init(_ scene: ShareScene, _ zone: String, _ cell: Cell) async throws {
    (self.scene, self.zone, self.cell) = (scene, zone, cell)
    try await scene.ann.makeZone(zone)
    func record(_ name: String, _ parent: String?) -> JSON {
      operation("create", name, parent: parent)
    }
    _ = try await scene.ann.modify(
      [
        record("root", nil), record("child", "root"), record("grandchild", "child"),
        record("outside", nil), record("orphan", nil),
      ], in: zone)
    var people: [JSON] = []
    switch cell.kind {
    case .administrator: people = [scene.invited("bob", type: "ADMINISTRATOR")]
    case .writer, .pending, .removed, .left, .withdrawn, .blocked:
      people = [scene.invited("bob")]
    case .reader: people = [scene.invited("bob", "READ_ONLY")]
    case .oneTimePending:
      people = [["permission": "READ_WRITE", "isOneTimeURLParticipant": true]]
    case .owner, .publicWriter, .publicReader, .elsewhere, .stranger, .anonymous, .requester:
      break
    }
    var share = scene.sharing(
      cell.form == .zone ? nil : "root", publicly: cell.kind.publicPermission, with: people)
    let made = try await scene.ann.modify([share], in: zone)[0]
    guid = made["shortGUID"]
    let bob = try await scene.guest("bob")
    switch cell.kind {
    case .administrator, .writer, .reader, .publicWriter, .publicReader, .removed, .left,
      .withdrawn, .blocked:
      try await scene.accept(guid, as: bob)
    case .owner, .pending, .elsewhere, .stranger, .anonymous, .oneTimePending, .requester: break
    }
    if cell.kind == .blocked || cell.kind == .requester {
      let current = try await scene.ann.lookup([cell.shareName], in: zone)[0]
      let name = try await scene.name(of: bob)
      let changed =
        cell.kind == .blocked
        ? current.with("blockRequesters", [.string(name)])
        : current.with("denyAccessRequests", false)
      _ = try await scene.ann.modify(
        [["operationType": "update", "record": changed]], in: zone)
    }
    if cell.kind == .requester {
      var visitor = bob
      visitor.database = "public"
      _ = try await visitor.post("records/access", ["shortGUIDs": [["value": guid]]])
    }
    if cell.kind == .removed {
      let current = try await scene.ann.lookup([cell.shareName], in: zone)[0]
      share = ["operationType": "update", "record": current.with("participants", [])]
      _ = try await scene.ann.modify([share], in: zone)
    }
    if cell.kind == .withdrawn {
      let current = try await scene.ann.lookup([cell.shareName], in: zone)[0]
      let entries = (current["participants"].array ?? []).map { $0.with("permission", "NONE") }
      share = [
        "operationType": "update",
        "record": current.with("participants", .array(Array(entries.dropFirst()))),
      ]
      _ = try await scene.ann.modify([share], in: zone)
    }
    if cell.kind == .left {
      _ = try await bob.post(
        "records/modify",
        [
          "zoneID": ["zoneName": .string(zone), "ownerRecordName": .string(scene.annName)],
          "operations": [operation("forceDelete", cell.shareName)],
        ])
    }
    if cell.kind == .elsewhere, cell.form == .hierarchy {
      let other = try await scene.ann.modify(
        [scene.sharing("outside", named: "Share-2", publicly: "READ_WRITE")], in: zone)[0]
      try await scene.accept(other["shortGUID"], as: bob)
    }
    switch cell.kind {
    case .owner: caller = scene.ann
    case .anonymous:
      var nobody = bob
      nobody.webAuthToken = nil
      caller = nobody
    default: caller = bob
    }
  }

  func result() async throws -> String {
    let name = cell.position == .share ? cell.shareName : cell.position.recordName
    switch cell.attempt {
    case .lookup:
      return try await first(
        "records/lookup", "records", ["records": [["recordName": .string(name)]]])
    case .feed:
      let answer = try await caller.answer("changes/zone", ["zones": [["zoneID": zoneID]]])
      let page = answer.json["zones"][0]
      if let code = (answer.status == 200 ? page : answer.json)["serverErrorCode"].string {
        return code
      }
      let names = (page["records"].array ?? []).compactMap { $0["recordName"].string }
      return names.contains(name) ? "OK" : "absent"
    case .query:
      let answer = try await caller.answer(
        "records/query",
        [
          "zoneID": zoneID,
          "query": [
            "recordType": "Place", "filterBy": [.filter("EQUALS", "title", "changed")],
          ],
        ])
      if let code = answer.json["serverErrorCode"].string { return code }
      let names = (answer.json["records"].array ?? []).compactMap { $0["recordName"].string }
      return names.contains(name) ? "OK" : "absent"
    case .invite:
      let save = save(name)
      return try await modify(
        save.with("record", save["record"].with("participants", [scene.invited("cid")])))
    case .publish:
      let save = save(name)
      return try await modify(
        save.with("record", save["record"].with("publicPermission", "READ_ONLY")))
    case .update: return try await modify(save(name))
    case .createBelow: return try await modify(operation("create", "new", parent: name))
    case .moveOut:
      let save = save(name)
      return try await modify(save.with("record", save["record"].with("parent", [:])))
    case .delete: return try await modify(operation("forceDelete", name))
    case .moveShare:
      let move: JSON = [
        "operationType": "forceUpdate",
        "record": [
          "recordName": .string(name), "parent": ["recordName": "outside"], "fields": [:],
        ],
      ]
      return try await modify(move)
    case .resolve, .accept, .requestAccess:
      var visitor = caller
      visitor.database = "public"
      let endpoint =
        switch cell.attempt {
        case .accept: "records/accept"
        case .requestAccess: "records/access"
        default: "records/resolve"
        }
      let answer = try await visitor.answer(endpoint, ["shortGUIDs": [["value": guid]]])
      let result = answer.status == 200 ? answer.json["results"][0] : answer.json
      return result["serverErrorCode"].string ?? "OK"
    }
  }

  private func save(_ name: String) -> JSON {
    guard cell.position == .share else { return operation("forceUpdate", name) }
    return [
      "operationType": "forceUpdate",
      "record": [
        "recordName": .string(name), "recordType": "cloudkit.share",
        "fields": ["cloudkit.title": ["value": "changed", "type": "STRING"]],
      ],
    ]
  }

  private func modify(_ operation: JSON) async throws -> String {
    try await first("records/modify", "records", ["operations": [operation]])
  }

  private func first(_ endpoint: String, _ key: String, _ body: JSON) async throws -> String {
    let answer = try await caller.answer(endpoint, body.with("zoneID", zoneID))
    let item = answer.status == 200 ? answer.json[key][0] : answer.json
    return item["serverErrorCode"].string ?? "OK"
  }
}

extension Cell {
  var shareName: String { form == .zone ? "cloudkit.zoneshare" : "Share-1" }
}
