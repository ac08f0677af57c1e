/// A kind of request that every caller of the authorization matrix sends.
struct AccessAttempt: Sendable {
  /// The values from which the body of a request is made.
  struct Target: Sendable {
    let cell: AccessCell
    /// The zone of the request, or nil for the default zone of the public database.
    let zoneID: JSON?
    let tag: JSON
    /// The value that the endpoint needs in addition: the ID of a share, a token, or a user's
    /// record name or address.
    let secret: JSON
  }

  let endpoint: String
  /// The operation, if the endpoint has several.
  var operation = ""
  var databases: [AccessDatabase] = [.public, .private, .shared]
  var subjects: [AccessSubject] = [.own, .others, .absent]
  /// Whether the request is about records of one type.
  var isAboutRecords = false
  let body: @Sendable (Target) -> JSON

  var name: String { operation.isEmpty ? endpoint : "\(endpoint) \(operation)" }

  /// NB: `reset` must be the last attempt, because it deletes the zones of its caller.
  static let all = records + zones + subscriptions + others + [reset]

  private static let reset = AccessAttempt(endpoint: "encryption/reset", subjects: [.none]) { _ in
    [
      "publicKey": .string(AccessScene.publicKey),
      "replacedKey": .string(AccessScene.publicKey),
    ]
  }

  private static let kinds = [
    "create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete",
  ]

  private static let records: [AccessAttempt] =
    [
      AccessAttempt(endpoint: "records/lookup", isAboutRecords: true) { target in
        target.inZone(["records": [["recordName": target.recordName]]])
      },
      AccessAttempt(endpoint: "records/query", isAboutRecords: true) { target in
        let filter = JSON.filter("EQUALS", "label", target.recordName)
        return target.inZone(["query": ["recordType": target.type, "filterBy": [filter]]])
      },
      AccessAttempt(endpoint: "assets/upload", isAboutRecords: true) { target in
        target.inZone([
          "tokens": [
            ["recordName": target.recordName, "recordType": target.type, "fieldName": "photo"]
          ]
        ])
      },
      AccessAttempt(endpoint: "assets/rereference", isAboutRecords: true) { target in
        target.inZone(["assets": [["recordName": target.recordName, "fieldName": "photo"]]])
      },
    ]
    + kinds.map { kind in
      AccessAttempt(endpoint: "records/modify", operation: kind, isAboutRecords: true) { target in
        var record: JSON = ["recordName": target.recordName]
        if !kind.lowercased().hasSuffix("delete") {
          record = record.with("recordType", target.type).with("fields", target.fields)
        }
        if ["update", "replace", "delete"].contains(kind) {
          record = record.with("recordChangeTag", target.tag)
        }
        return target.inZone([
          "operations": [["operationType": .string(kind), "record": record]]
        ])
      }
    }

  private static let zones: [AccessAttempt] = [
    AccessAttempt(endpoint: "zones/list", subjects: [.none]) { _ in [:] },
    AccessAttempt(endpoint: "zones/changes", subjects: [.none]) { _ in [:] },
    AccessAttempt(endpoint: "changes/database", subjects: [.none]) { _ in [:] },
    AccessAttempt(endpoint: "zones/lookup") { ["zones": [$0.zone]] },
    AccessAttempt(endpoint: "changes/zone") { ["zones": [["zoneID": $0.zone]]] },
    AccessAttempt(endpoint: "records/changes") { ["zoneID": $0.zone] },
    AccessAttempt(endpoint: "zones/modify", operation: "create") { modifyZone("create", $0) },
    AccessAttempt(endpoint: "zones/modify", operation: "delete") { modifyZone("delete", $0) },
    AccessAttempt(endpoint: "encryption/keys", subjects: [.none]) { _ in [:] },
    AccessAttempt(endpoint: "encryption/register", subjects: [.none]) { _ in
      ["publicKey": .string(AccessScene.publicKey)]
    },
    AccessAttempt(endpoint: "encryption/wrap") { target in
      [
        "zoneID": target.zone,
        "key": [
          "keyID": "AQEBAQEBAQE=", "recipient": .string(AccessScene.publicKey), "wrapped": "AQ==",
        ],
      ]
    },
  ]

  private static func modifyZone(_ kind: String, _ target: Target) -> JSON {
    ["operations": [["operationType": .string(kind), "zone": ["zoneID": target.zone]]]]
  }

  private static let subscriptions: [AccessAttempt] =
    [
      AccessAttempt(endpoint: "subscriptions/list", subjects: [.none]) { _ in [:] },
      AccessAttempt(endpoint: "subscriptions/lookup") {
        ["subscriptions": [["subscriptionID": $0.recordName]]]
      },
      AccessAttempt(endpoint: "subscriptions/modify", operation: "delete") { target in
        let subscription: JSON = ["subscriptionID": target.recordName]
        return ["operations": [["operationType": "delete", "subscription": subscription]]]
      },
    ]
    + ["create", "update"].map { kind in
      AccessAttempt(endpoint: "subscriptions/modify", operation: kind, subjects: [.none]) {
        ["operations": [["operationType": .string(kind), "subscription": $0.subscription]]]
      }
    }

  private static let others: [AccessAttempt] =
    ["users/caller", "users/current"].map {
      AccessAttempt(endpoint: $0, subjects: [.none]) { _ in [:] }
    }
    + [
      AccessAttempt(endpoint: "users/token", subjects: [.none]) { ["apiToken": $0.secret] },
      AccessAttempt(endpoint: "users/lookup/contacts", subjects: [.none]) { _ in [:] },
      AccessAttempt(endpoint: "users/discover") {
        ["lookupInfos": [["userRecordName": $0.secret]]]
      },
      AccessAttempt(endpoint: "users/lookup/id") { ["users": [["userRecordName": $0.secret]]] },
      AccessAttempt(endpoint: "users/lookup/email") { ["users": [["emailAddress": $0.secret]]] },
    ]
    + ["records/resolve", "records/accept", "records/access"].map {
      AccessAttempt(endpoint: $0) { ["shortGUIDs": [["value": $0.secret]]] }
    }
    + [
      device("tokens/create") { _ in ["apnsEnvironment": "development"] },
      AccessAttempt(endpoint: "tokens/register", databases: [.device]) {
        ["apnsEnvironment": "development", "apnsToken": $0.secret]
      },
      device("notifications/changes") { _ in [:] },
      device("notifications/badge") { _ in ["badge": 1] },
      device("notifications/acknowledge") { _ in ["through": 1] },
      device("notifications/read") { _ in ["notificationIDs": ["none"]] },
    ]

  private static func device(
    _ endpoint: String, _ body: @escaping @Sendable (Target) -> JSON
  ) -> AccessAttempt {
    AccessAttempt(endpoint: endpoint, databases: [.device], subjects: [.none], body: body)
  }
}

extension AccessAttempt.Target {
  var recordName: JSON { .string(cell.recordName) }
  var type: JSON { .string(cell.type.rawValue) }
  var fields: JSON { ["label": ["value": recordName]] }
  var zone: JSON { zoneID ?? ["zoneName": "_defaultZone"] }

  /// Returns the body for a request to one zone.
  func inZone(_ body: JSON) -> JSON { zoneID.map { body.with("zoneID", $0) } ?? body }

  /// A subscription of a kind that the database of the cell supports.
  var subscription: JSON {
    let id: JSON = ["subscriptionID": recordName]
    switch cell.database {
    case .public:
      return id.with("subscriptionType", "query").with("firesOn", ["create"])
        .with("query", ["recordType": type])
    case .private:
      return id.with("subscriptionType", "zone").with("zoneID", ["zoneName": "Vault"])
    case .shared, .device: return id.with("subscriptionType", "database")
    }
  }
}
