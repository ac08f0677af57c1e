import HTTPTypes
import StratusDomain
import StratusTesting
import StratusWire
import Testing

@testable import StratusServer

@Suite struct `A restore to a point in time` {
  @Test func `without --version-days, a store keeps no versions and refuses a restore`()
    async throws
  {
    try await VersionScene.run(days: 0) { scene in
      try await scene.save("n", "one")
      let time = scene.moment()
      try await scene.save("n", "two")
      let extent = try await scene.extent()
      #expect(extent["count"] == 0 && extent["since"].isNull && extent["days"].isNull)
      let answer = try await scene.server.managementAnswer(
        "versions/restore", VersionScene.place.with("time", .int(time)))
      #expect(answer.status == 400)
      #expect(answer.json["reason"] == "the store keeps no earlier versions of records")
    }
  }

  @Test func `a restore brings back changed and deleted records, and deletes new ones`()
    async throws
  {
    try await VersionScene.run { scene in
      try await scene.save("kept", "same")
      try await scene.save("changed", "before")
      try await scene.save("gone", "before")
      let time = scene.moment()
      try await scene.save("changed", "after")
      _ = try await scene.anna.modify(
        [["operationType": "forceDelete", "record": ["recordName": "gone"]]], in: "Work")
      try await scene.save("new", "after")
      let later = scene.moment()
      let done = try await scene.restore(to: time)
      #expect(done == (2, 1, 0))
      #expect(try await scene.text("kept") == "same")
      #expect(try await scene.text("changed") == "before")
      #expect(try await scene.text("gone") == "before")
      #expect(try await scene.text("new") == nil)
      // The restore can itself be undone.
      scene.clock.move(bySeconds: 10)
      #expect(try await scene.restore(to: later) == (2, 1, 0))
      #expect(try await scene.text("changed") == "after")
      #expect(try await scene.text("gone") == nil)
      #expect(try await scene.text("new") == "after")
      // Another restore to the same time finds nothing to change.
      #expect(try await scene.restore(to: later) == (0, 0, 0))
    }
  }

  @Test func `a dry run counts the same changes and makes none`() async throws {
    try await VersionScene.run { scene in
      try await scene.save("changed", "before")
      let time = scene.moment()
      try await scene.save("changed", "after")
      try await scene.save("new", "after")
      let token = try await scene.anna.changes(in: "Work")["syncToken"]
      #expect(try await scene.restore(to: time, ["isDryRun": true]) == (1, 1, 0))
      #expect(try await scene.anna.changes(in: "Work", since: token)["records"] == [])
      let audit = try await scene.server.manage("audit/list", [:])
      #expect(audit["entries"][0]["action"] == "containers/configure")
    }
  }

  @Test func `one zone or one record can be restored alone`() async throws {
    try await VersionScene.run { scene in
      try await scene.anna.makeZone("Home")
      for zone in ["Work", "Home"] {
        for name in ["a", "b"] { try await scene.save(name, "before", in: zone) }
      }
      let time = scene.moment()
      for zone in ["Work", "Home"] {
        for name in ["a", "b"] { try await scene.save(name, "after", in: zone) }
      }
      scene.clock.move(bySeconds: 10)
      let email: JSON = ["email": "anna@example.org", "zoneName": "Work"]
      #expect(try await scene.restore(to: time, email.with("recordName", "a")) == (1, 0, 0))
      #expect(try await scene.text("a") == "before")
      #expect(try await scene.text("b") == "after")
      #expect(try await scene.restore(to: time, email) == (1, 0, 0))
      #expect(try await scene.text("b") == "before")
      #expect(try await scene.text("a", in: "Home") == "after")
      let requests: [JSON] = [
        ["zoneName": "Work"], ["email": "anna@example.org", "recordName": "a"],
        ["position": "AAAA"],
      ]
      for wrong in requests {
        var request = VersionScene.place.with("time", .int(time))
        for key in wrong.keys { request = request.with(key, wrong[key]) }
        #expect(try await scene.server.managementAnswer("versions/restore", request).status == 400)
      }
    }
  }

  @Test func `large restores continue step by step, and devices see ordinary changes`()
    async throws
  {
    try await VersionScene.run { scene in
      let names = (0..<250).map { "n\($0)" }
      func save(_ text: String) async throws {
        for part in [names.prefix(200), names.dropFirst(200)] {
          let operations = part.map { name -> JSON in
            [
              "operationType": "forceUpdate",
              "record": [
                "recordName": "\(name)", "recordType": "Note",
                "fields": ["text": ["value": "\(text)"]],
              ],
            ]
          }
          _ = try await scene.anna.modify(.array(operations), in: "Work")
        }
      }
      try await save("before")
      let time = scene.moment()
      try await save("after")
      let token = try await scene.anna.changes(in: "Work")["syncToken"]
      scene.clock.move(bySeconds: 10)
      let step = try await scene.server.manage(
        "versions/restore", VersionScene.place.with("time", .int(time)))
      #expect(step["restored"] == 100)
      let position = try #require(step["position"].string)
      #expect(!position.contains("Work") && !position.contains("n1"))
      #expect(try await scene.restore(to: time) == (150, 0, 0))
      let page = try await scene.anna.changes(in: "Work", since: token, ["resultsLimit": 200])
      #expect(page["records"].array?.count == 200)
      let audit = try await scene.server.manage("audit/list", [:])["entries"].array ?? []
      // The newest entry comes first. The earlier restore was not limited to one account.
      let restores = audit.filter { $0["action"] == "versions/restore" }
      #expect(restores.map { $0["account"] } == ["anna@example.org", nil])
    }
  }

  @Test func `a deleted zone comes back with its files`() async throws {
    try await VersionScene.run { scene in
      let photo = try await scene.anna.upload(abc)
      try await scene.anna.saveNote("n", photo: photo, in: "Work")
      try await scene.save("text", "before")
      let time = scene.moment()
      try await scene.anna.deleteZone("Work")
      try await scene.server.purgeZones()
      await scene.server.sweepAssets(graceSeconds: 0)
      #expect(try await scene.extent()["deletedZones"] == 1)
      scene.clock.move(bySeconds: 10)
      #expect(try await scene.restore(to: time) == (2, 0, 0))
      #expect(try await scene.text("text") == "before")
      let value = try await scene.anna.lookup(["n"], in: "Work")[0]["fields"]["photo"]["value"]
      let url = try #require(value["downloadURL"].string)
      #expect(try await scene.anna.transfer(.get, url, []).bytes == abc)
    }
  }

  @Test
  func `a replaced file comes back by a restore, and is removed with its version`() async throws {
    try await VersionScene.run(days: 2) { scene in
      let first = try await scene.anna.upload(abc)
      try await scene.anna.saveNote("n", photo: first, in: "Work")
      let time = scene.moment()
      let second = try await scene.anna.upload(Array("xyz".utf8))
      try await scene.anna.saveNote("n", photo: second, in: "Work")
      scene.clock.move(bySeconds: 100)
      await scene.server.sweepAssets(graceSeconds: 0)
      #expect(try await scene.restore(to: time) == (1, 0, 0))
      let value = try await scene.anna.lookup(["n"], in: "Work")[0]["fields"]["photo"]["value"]
      #expect(value["fileChecksum"] == .string(checksumOfABC))
      // The second file is now held only by a version.
      scene.clock.move(bySeconds: 3 * 86_400)
      try await scene.server.trimVersions()
      scene.clock.move(bySeconds: 10)
      await scene.server.sweepAssets(graceSeconds: 0)
      let files = try await scene.server.store(at: VersionScene.address).read {
        (store) throws(ServerError) in
        try store.unheldAssets(touchedBefore: .max, limit: 9).count
      }
      #expect(files == 0)
      let answer = try await scene.server.managementAnswer(
        "versions/restore", VersionScene.place.with("time", .int(time)))
      #expect(
        answer.json["reason"] == "the earlier versions of records do not reach back to that time")
    }
  }

  @Test func `a restore to a future time is refused`() async throws {
    try await VersionScene.run { scene in
      try await scene.save("n", "before")
      let answer = try await scene.server.managementAnswer(
        "versions/restore", VersionScene.place.with("time", .int(scene.clock.now + 1_000)))
      #expect(answer.status == 400)
      #expect(answer.json["reason"] == "the time of a restore must be in the past")
    }
  }

  @Test func `a public record keeps its creator when it comes back`() async throws {
    try await VersionScene.run { scene in
      var anna = scene.anna
      anna.database = "public"
      let made = try await anna.save("p", fields: ["text": ["value": "x"]])
      let time = scene.moment()
      _ = try await anna.modify([["operationType": "forceDelete", "record": ["recordName": "p"]]])
      scene.clock.move(bySeconds: 10)
      #expect(try await scene.restore(to: time, ["isPublic": true]) == (1, 0, 0))
      let found = try await anna.lookup(["p"])[0]
      #expect(found["created"]["userRecordName"] == made["created"]["userRecordName"])
      #expect(found["created"]["timestamp"] == made["created"]["timestamp"])
      // The creator may still change the record.
      let saved = try await anna.save("p", fields: ["text": ["value": "y"]])
      #expect(saved["serverErrorCode"].isNull, "\(saved)")
    }
  }

  @Test func `a shared root gets its old fields and keeps its share`() async throws {
    let clock = MovedClock()
    try await withServer(live: clock.live) { server in
      let scene = try await ShareScene(server)
      try await server.manage(
        "containers/configure", VersionScene.place.with("versionDays", 9))
      clock.move(bySeconds: 10)
      let time = clock.now
      clock.move(bySeconds: 10)
      try await scene.share("Rome", publicly: "READ_ONLY")
      _ = try await scene.ann.modify(
        [
          [
            "operationType": "forceUpdate",
            "record": [
              "recordName": "Rome", "recordType": "Place", "fields": ["title": ["value": "new"]],
            ],
          ]
        ], in: "Trips")
      clock.move(bySeconds: 10)
      let restoring = VersionScene(server: server, clock: clock, anna: scene.ann)
      #expect(try await restoring.restore(to: time, [:]) == (1, 0, 0))
      let found = try await scene.ann.lookup(["Rome", "Share-1"], in: "Trips")
      #expect(found[0]["fields"]["title"]["value"] == "about Rome")
      #expect(found[0]["share"]["recordName"] == "Share-1")
      #expect(found[1]["recordType"] == "cloudkit.share")
    }
  }

  @Test func `the answer does not name the private records that a restore refuses`() async throws {
    try await VersionScene.run { scene in
      try await scene.save("secret-name", String(repeating: "x", count: 500))
      let time = scene.moment()
      try await scene.save("secret-name", "short")
      try await scene.server.manage(
        "quotas/set",
        VersionScene.place.with("target", "eachUser").with("bytes", 100))
      scene.clock.move(bySeconds: 10)
      let answer = try await scene.server.manage(
        "versions/restore",
        VersionScene.place.with("time", .int(time)).with("email", "anna@example.org"))
      #expect(answer["refusals"] == [["code": "QUOTA_EXCEEDED", "records": 1]])
      #expect(!"\(answer)".contains("secret-name"))
    }
  }
}
