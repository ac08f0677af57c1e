import StratusTesting
import Testing

/// A zone in which a caller tries cells of the matrix.
struct MatrixZone {
  let scene: ShareScene
  let zone: String
  let caller: Client
  let guid: JSON

  private var zoneID: JSON {
    ["zoneName": .string(zone), "ownerRecordName": .string(scene.annName)]
  }

  init(_ scene: ShareScene, _ bob: Client, _ zone: String, _ cell: Cell) async throws {
    (self.scene, self.zone) = (scene, zone)
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

  func result(of cell: Cell) async throws -> String {
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
    case .lookupZone, .listZones, .databaseFeed, .recordsChanges, .deleteZone:
      return try await result(ofZoneAttempt: cell.attempt)
    case .upload:
      return try await first(
        "assets/upload", "tokens",
        ["tokens": [["recordName": "root", "recordType": "Place", "fieldName": "photo"]]])
    case .create: return try await modify(operation("create", name))
    case .staleUpdate: return try await modify(save(name, cell, "update", tag: "zz"))
    case .taggedUpdate:
      return try await modify(save(name, cell, "update", tag: try await tag(of: name)))
    case .replace:
      let parents: [Position: String] = [.child: "root", .grandchild: "child"]
      return try await modify(
        operation(
          "replace", name, parent: parents[cell.position], tag: try await tag(of: name)))
    case .taggedDelete:
      return try await modify(operation("delete", name, tag: try await tag(of: name)))
    case .moveIn: return try await modify(operation("forceUpdate", name, parent: "root"))
    case .createOrphan: return try await modify(operation("create", "new"))
    case .share: return try await modify(scene.sharing(name, named: "Share-9"))
    case .block:
      let save = save(name, cell)
      return try await modify(
        save.with("record", save["record"].with("blockRequesters", ["_nobody"])))
    case .invite:
      let save = save(name, cell)
      return try await modify(
        save.with("record", save["record"].with("participants", [scene.invited("cid")])))
    case .publish:
      let save = save(name, cell)
      return try await modify(
        save.with("record", save["record"].with("publicPermission", "READ_ONLY")))
    case .update: return try await modify(save(name, cell))
    case .createBelow: return try await modify(operation("create", "new", parent: name))
    case .moveOut:
      let save = save(name, cell)
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

  private func result(ofZoneAttempt attempt: Attempt) async throws -> String {
    switch attempt {
    case .lookupZone:
      return try await whole("zones/lookup", ["zones": [zoneID]])
    case .deleteZone:
      let delete: JSON = ["operationType": "delete", "zone": ["zoneID": zoneID]]
      return try await whole("zones/modify", ["operations": [delete]])
    case .recordsChanges:
      let answer = try await caller.answer("records/changes", ["zoneID": zoneID])
      return answer.json["serverErrorCode"].string ?? "OK"
    default:
      let endpoint = attempt == .listZones ? "zones/list" : "changes/database"
      let answer = try await caller.answer(endpoint, [:])
      if let code = answer.json["serverErrorCode"].string { return code }
      #expect(answer.json["moreComing"] != true)
      let found = (answer.json["zones"].array ?? []).contains {
        $0["zoneID"]["zoneName"].string == zone && $0["deleted"] != true
      }
      return found ? "OK" : "absent"
    }
  }

  /// Sends a request about zones, and returns the result for the first one.
  private func whole(_ endpoint: String, _ body: JSON) async throws -> String {
    let answer = try await caller.answer(endpoint, body)
    let item = answer.status == 200 ? answer.json["zones"][0] : answer.json
    return item["serverErrorCode"].string ?? "OK"
  }

  /// The current tag of a record, or a wrong tag if there is no record.
  private func tag(of name: String) async throws -> JSON {
    let tag = try await scene.ann.lookup([name], in: zone)[0]["recordChangeTag"]
    return tag.isNull ? "zz" : tag
  }

  private func save(
    _ name: String, _ cell: Cell, _ kind: String = "forceUpdate", tag: JSON = nil
  ) -> JSON {
    guard cell.position == .share else { return operation(kind, name, tag: tag) }
    let record: JSON = [
      "recordName": .string(name), "recordType": "cloudkit.share",
      "fields": ["cloudkit.title": ["value": "changed", "type": "STRING"]],
    ]
    return [
      "operationType": .string(kind),
      "record": tag.isNull ? record : record.with("recordChangeTag", tag),
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
