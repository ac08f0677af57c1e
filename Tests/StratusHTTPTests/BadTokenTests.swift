import Foundation
import StratusTesting
import Testing

/// Invalid change tokens. They never cause a silent gap or a server error.
@Suite struct BadChangeTokens {
  private func expectBad(
    _ anna: Client, _ token: String, zone: String = "Work", _ what: String,
    reason: String? = nil
  ) async throws {
    let zoneID: JSON = ["zoneName": "\(zone)"]
    let item: JSON = ["zoneID": zoneID, "syncToken": .string(token)]
    let inZone = try await anna.answer("changes/zone", ["zones": [item]])
    inZone.expectRefusal(what, code: "BAD_REQUEST")
    let alone = try await anna.answer("records/changes", item)
    alone.expectRefusal(what, code: "BAD_REQUEST")
    if let reason {
      #expect(inZone.reason == reason && alone.reason == reason, "\(what)")
    }
  }

  private func token(_ anna: Client, _ zone: String = "Work") async throws -> String {
    try #require(try await anna.changes(in: zone)["syncToken"].string)
  }

  @Test
  func `a change token of a zone that was deleted and created again is expired`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      let old = try await token(anna)
      try await anna.deleteZone("Work")
      try await anna.makeZone("Work")
      try await anna.save("n-1", in: "Work")
      try await expectBad(anna, old, "an earlier zone's", reason: "sync token expired")
    }
  }

  @Test func `a change token of a deleted zone gives ZONE_NOT_FOUND`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let old = try await token(anna)
      try await anna.deleteZone("Work")
      let item: JSON = ["zoneID": ["zoneName": "Work"], "syncToken": .string(old)]
      try await anna.answer("changes/zone", ["zones": [item]])
        .expectRefusal("a deleted zone", code: "ZONE_NOT_FOUND")
    }
  }

  @Test func `a change token of another zone or of the database is refused`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.makeZone("Home")
      try await expectBad(anna, try await token(anna, "Home"), "another zone's")
      let database = try #require(try await anna.post("changes/database")["syncToken"].string)
      try await expectBad(anna, database, "the database's")
      let zones = try await token(anna)
      for (endpoint, key) in [
        ("changes/database", "syncToken"), ("zones/changes", "metaSyncToken"),
      ] {
        try await anna.answer(endpoint, .object([key: .string(zones)]))
          .expectRefusal("a zone's token for \(endpoint)", code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a change token of another container or environment is refused`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let here = try await token(anna)
      let database = try #require(try await anna.post("changes/database")["syncToken"].string)
      for (container, environment) in [
        ("iCloud.org.example.Other", "development"), (anna.container, "production"),
      ] {
        var caller = anna
        (caller.container, caller.environment) = (container, environment)
        try await caller.makeZone("Work")
        try await expectBad(caller, here, "\(container) \(environment)")
        try await caller.answer("changes/database", ["syncToken": .string(database)])
          .expectRefusal("\(container) \(environment)", code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a malformed change token is refused`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      for text in [
        "", "x", "null", "AAAA", "====", "\u{0}", String(repeating: "A", count: 10_000), "ä",
        "AQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
      ] {
        try await expectBad(anna, text, "token '\(text.prefix(20))'")
        try await anna.answer("changes/database", ["syncToken": .string(text)])
          .expectRefusal("token '\(text.prefix(20))'", code: "BAD_REQUEST")
      }
    }
  }

  @Test func `a change token of random bytes is refused`() async throws {
    let seed: UInt64 = 20_261_121
    try await withAnna { anna in
      try await anna.makeZone("Work")
      let count = try #require(Data(base64Encoded: try await token(anna))).count
      var chance = Chance(seed: seed)
      for round in 0..<100 {
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
        try await expectBad(
          anna, Data(bytes).base64EncodedString(), "seed \(seed), round \(round)")
      }
    }
  }

  @Test
  func `an altered change token is refused, or is read as a token of the same zone`() async throws {
    try await withAnna { anna in
      try await anna.makeZone("Work")
      try await anna.makeZone("Home")
      try await anna.save("home", in: "Home")
      for index in 1...5 { try await anna.save("n-\(index)", in: "Work") }
      let page = try await anna.changes(
        in: "Work", ["resultsLimit": 2, "reverse": true])
      for text in [try await token(anna), try #require(page["syncToken"].string)] {
        let bytes = [UInt8](try #require(Data(base64Encoded: text)))
        for index in bytes.indices {
          for mask: UInt8 in [0x01, 0x80, 0xFF] {
            var altered = bytes
            altered[index] ^= mask
            let item: JSON = [
              "zoneID": ["zoneName": "Work"],
              "syncToken": .string(Data(altered).base64EncodedString()),
            ]
            let answer = try await anna.answer("changes/zone", ["zones": [item]])
            if !answer.errors.isEmpty {
              answer.expectRefusal("byte \(index) ^ \(mask)", code: "BAD_REQUEST")
            }
            for record in answer.json["zones"][0]["records"].array ?? [] {
              #expect(record["zoneID"]["zoneName"] == "Work", "byte \(index) ^ \(mask)")
            }
          }
        }
      }
    }
  }
}
