import StratusDomain
import StratusTesting
import StratusWire
import Testing

@Suite struct `The versions of records` {
  @Test func `the oldest versions are removed first when a store has too many`() async throws {
    try await VersionScene.run { scene in
      var moments: [Int64] = []
      for number in 0..<30 {
        try await scene.save("n", "text \(number)")
        moments.append(scene.moment())
      }
      let before = try #require(try await scene.extent()["bytes"].integer)
      try await scene.server.trimVersions(countMax: 10)
      let extent = try await scene.extent()
      #expect(extent["count"] == 10)
      #expect(try #require(extent["bytes"].integer) < before / 2)
      // The oldest remaining version has the text 19. The save of the text 20 replaced it.
      #expect(extent["since"] == .int(moments[19]))
      #expect(try await scene.restore(to: moments[19]) == (1, 0, 0))
      #expect(try await scene.text("n") == "text 19")
      let refused = try await scene.server.managementAnswer(
        "versions/restore", VersionScene.place.with("time", .int(moments[18])))
      #expect(refused.status == 400)
      try await scene.server.trimVersions(bytesMax: 40)
      #expect(try #require(try await scene.extent()["bytes"].integer) <= 40)
    }
  }

  @Test func `versions and the records of deleted zones are removed when their days are over`()
    async throws
  {
    try await VersionScene.run(days: 3) { scene in
      try await scene.save("n", "one")
      try await scene.save("n", "two")
      try await scene.anna.deleteZone("Work")
      scene.clock.move(bySeconds: 2 * 86_400)
      try await scene.server.trimVersions()
      #expect(try await scene.extent()["count"] == 2)
      #expect(try await scene.extent()["deletedZones"] == 1)
      scene.clock.move(bySeconds: 2 * 86_400)
      try await scene.server.trimVersions()
      try await scene.server.purgeZones()
      #expect(try await scene.extent()["count"] == 0)
      #expect(try await scene.extent()["deletedZones"] == 0)
    }
  }

  @Test func `with --version-days 0, all versions and kept records are removed`() async throws {
    try await VersionScene.run { scene in
      let photo = try await scene.anna.upload(abc)
      try await scene.anna.saveNote("n", photo: photo, in: "Work")
      try await scene.save("m", "one")
      try await scene.anna.deleteZone("Work")
      try await scene.keep(days: 0)
      try await scene.server.trimVersions()
      try await scene.server.purgeZones()
      let extent = try await scene.extent()
      #expect(extent["count"] == 0 && extent["deletedZones"] == 0 && extent["since"].isNull)
      #expect(try await unheld(scene) == 1)
    }
  }

  /// An account that is deleted must leave no version.
  @Test func `a purged database leaves no versions and no kept zones`() async throws {
    try await VersionScene.run { scene in
      let photo = try await scene.anna.upload(abc)
      try await scene.anna.saveNote("n", photo: photo, in: "Work")
      for text in ["one", "two"] { try await scene.save("m", text) }
      try await scene.anna.deleteZone("Work")
      try await scene.anna.makeZone("Work")
      try await scene.save("m", "three")
      let user = try #require(
        try await scene.anna.post("users/caller")["userRecordName"].string)
      let database = DatabaseKey.private(owner: user)
      let time = scene.clock.now
      try await scene.server.store(at: VersionScene.address).write {
        (store) throws(ServerError) in
        for zone in try store.zones(in: database, after: nil, limit: 9) {
          try store.deleteZone(zone, reason: .deleted, at: time)
        }
        try store.releaseKeptZones(of: database)
      }
      try await scene.server.purgeZones()
      let extent = try await scene.extent()
      #expect(extent["deletedZones"] == 0)
      #expect(extent["count"] == 0)
      #expect(try await unheld(scene) == 1)
    }
  }

  private func unheld(_ scene: VersionScene) async throws -> Int {
    try await scene.server.store(at: VersionScene.address).read { (store) throws(ServerError) in
      try store.unheldAssets(touchedBefore: .max, limit: 9).count
    }
  }
}
