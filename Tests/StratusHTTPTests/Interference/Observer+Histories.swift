import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Synchronization
import Testing

@testable import StratusPush

extension Observer {
  // Histories

  /// Reads the changes since the last page of a database's history.
  mutating func followDatabase(_ database: String) async throws {
    let page = try await ask(
      "changes/database", ["syncToken": tokens[database] ?? .null, "incarnations": true],
      in: database)
    tokens[database] = page["syncToken"]
  }

  /// Reads the changes since the last page of a zone's history. The zone may be missing.
  mutating func followZone(_ zoneID: JSON, in database: String) async throws {
    let name = zoneID["zoneName"].string ?? ""
    let page = try await ask(
      "changes/zone", ["zones": [["zoneID": zoneID, "syncToken": tokens[name] ?? .null]]],
      in: database)
    tokens[name] = page["zones"][0]["syncToken"]
  }

  /// Creates or deletes a zone.
  mutating func changeZones() async throws {
    let kind: JSON = .random(using: &chance) ? "create" : "delete"
    try await ask(
      "zones/modify",
      [
        "operations": [
          ["operationType": kind, "zone": ["zoneID": ["zoneName": "Extra"]]]
        ], "incarnations": true,
      ], in: "private")
    try await ask("zones/lookup", ["zones": [["zoneName": "Extra"]]], in: "private")
  }

  /// Asks for histories of the public database. This database has no history.
  mutating func readPublicFeeds() async throws {
    let zone: JSON = ["zoneID": ["zoneName": "_defaultZone"]]
    try await ask("changes/database", [:])
    try await ask("zones/changes", [:])
    try await ask("changes/zone", ["zones": [zone]])
    try await ask("records/changes", zone)
    try await ask("zones/list", [:])
    try await ask("changes/zone", ["zones": [zone]], in: "private")
  }

  // Notifications

  /// Polls for the next notification of the phone, if there is one. Otherwise the poll would wait.
  mutating func listen() async throws {
    let token = try await ask(
      "tokens/create", ["apnsEnvironment": "development"], as: "bea-phone")
    let target = try token["webcourierURL"].target
    guard try await hasWaiting("bea-phone") else { return note("no notification") }
    let client = scene.bea
    let isDone = Mutex(false)
    let poll = Task {
      defer { isDone.withLock { $0 = true } }
      let (head, body) = try await client.open(target)
      var bytes: [UInt8] = []
      for await piece in body { bytes += piece }
      return (head, bytes)
    }
    while !isDone.withLock({ $0 }) {
      await scene.server.handOutNotifications()
      await Task.yield()
    }
    let (head, bytes) = try await poll.value
    note("poll", head.status.code, head.headerFields, bytes)
  }

  /// Whether notifications about other devices' changes are waiting for a device.
  private func hasWaiting(_ deviceID: String) async throws -> Bool {
    let user = scene.beaName
    return try await scene.server.store(at: notes).read { (store) throws(ServerError) in
      guard let device = try store.device(id: deviceID, of: user) else { return false }
      return try store.notifications(
        of: user, after: device.acknowledged, limit: 100, sizeBytesMax: .max
      ).contains { $0.originDeviceID != deviceID }
    }
  }

  mutating func readNotifications() async throws {
    let page = try await ask(
      "notifications/changes",
      ["serverChangeToken": tokens["notifications"] ?? .null, "resultsLimit": 5])
    tokens["notifications"] = page["serverChangeToken"]
    let found = page["notifications"].array ?? []
    if let last = found.last { newestNumber = last["number"] }
    if let first = found.first {
      try await ask("notifications/read", ["notificationIDs": [first["ck"]["nid"], "none"]])
    }
    try await ask(
      "notifications/acknowledge", ["through": newestNumber],
      as: .random(using: &chance) ? "bea-phone" : "bea-laptop")
    if Int.random(in: 0..<3, using: &chance) == 0 {
      try await ask("notifications/badge", ["badge": .int(Int64(count))])
    }
  }

  /// Reads the messages that wait for Apple's push service, addressed to Bea's watch.
  mutating func readPushes() async throws {
    let now = scene.chance.now
    let queue = StoreAPNsQueue(try await scene.server.store(at: notes), now: { now })
    guard
      let waiting = try await queue.waiting(for: "bea-watch", of: scene.beaName, limit: 20)
    else { return note("no watch") }
    for one in waiting.notifications where one.originDeviceID != "bea-watch" {
      let message = APNsMessage(
        deviceToken: Self.apnsToken, environment: .development, payload: try one.payload(),
        number: one.number, coalescingKey: one.coalescingKey, expiresAt: one.createdAt)
      let fields = message.headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
      note("push\n\(fields)\n\(String(decoding: message.payload.jsonBytes, as: UTF8.self))")
    }
    if let last = waiting.notifications.last {
      try await queue.acknowledge(through: last.number, by: waiting.device)
    }
  }

  // Users and shares

  mutating func visit(_ endpoints: [String]) async throws {
    for endpoint in endpoints { try await ask(endpoint, [:], in: "private") }
    try await ask("users/caller", [:])
    var nobody = scene.bea
    nobody.webAuthToken = nil
    let refused = try await nobody.send(.post, nobody.target("zones/list"))
    note("zones/list without a user", refused.status, refused.headers, refused.bytes)
  }

  mutating func findUsers() async throws {
    let (ann, cleo) = (JSON.string(scene.annName), JSON.string(scene.cleoName))
    try await ask(
      "users/discover",
      [
        "lookupInfos": [
          ["emailAddress": "ann@example.org"], ["userRecordName": ann],
          ["emailAddress": "nobody@example.org"], ["userRecordName": cleo],
        ]
      ])
    try await ask("users/lookup/id", ["users": [["userRecordName": ann]]])
    try await ask("users/lookup/email", ["users": [["emailAddress": "cleo@example.org"]]])
    try await ask("users/lookup/contacts", [:])
    try await ask(
      "records/lookup", ["records": [["recordName": ann], ["recordName": cleo]]])
  }

  /// Resolves Cleo's share, leaves it, or accepts it again.
  mutating func useShare() async throws {
    let body: JSON = ["shortGUIDs": [["value": scene.shareID]]]
    try await ask("records/resolve", body)
    if Int.random(in: 0..<3, using: &chance) == 0 {
      let share: JSON = ["recordName": "share"]
      try await ask(
        "records/modify",
        [
          "zoneID": scene.trips,
          "operations": [["operationType": "forceDelete", "record": share]],
        ], in: "shared")
    }
    try await ask("records/accept", body)
    try await ask("records/resolve", ["shortGUIDs": [["value": "none"]]])
  }

  mutating func tryAnnsZone() async throws {
    for (zone, database) in [("Secret", "private"), ("Home", "shared")] {
      let zoneID: JSON = ["zoneName": .string(zone), "ownerRecordName": .string(scene.annName)]
      try await ask("zones/lookup", ["zones": [zoneID]], in: database)
      try await ask(
        "records/lookup", ["zoneID": zoneID, "records": [["recordName": "ann-1"]]], in: database)
      try await ask(
        "records/modify",
        [
          "zoneID": zoneID,
          "operations": [
            [
              "operationType": "forceUpdate",
              "record": ["recordName": "x", "recordType": "Note", "fields": [:]],
            ]
          ],
        ], in: database)
      try await ask("changes/zone", ["zones": [["zoneID": zoneID]]], in: database)
    }
  }
}
