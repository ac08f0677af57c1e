import StratusDomain
import StratusTesting
import StratusWire
import Testing

/// Restores the whole container to random moments, and compares everything.
@Suite struct `Restores to random moments` {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a restore to each of 20 random moments brings back the data of that moment`(
    seed: UInt64
  ) async throws {
    try await VersionScene.run { scene in
      var random = Steps(seed: seed)
      let bob = try await scene.server.client("bob@example.org")
      try await bob.makeZone("Work")
      try await bob.makeZone("Home")
      try await scene.anna.makeZone("Home")
      let photos = [
        try await scene.anna.upload(Array(repeating: 1, count: 77)),
        try await scene.anna.upload(Array(repeating: 2, count: 78)),
      ]
      let count = 160
      var chosen = Set<Int>()
      while chosen.count < 20 { chosen.insert(random.next(count)) }
      var moments: [(time: Int64, contents: [String: RecordContents])] = []
      for step in 0..<count {
        let isAnna = random.next(2) == 0
        try await change(
          random.next(10), by: isAnna ? scene.anna : bob, isAnna, photos, &random)
        if step.isMultiple(of: 7) { try await scene.server.continueCascades() }
        if step.isMultiple(of: 9) { try await scene.server.purgeZones() }
        if chosen.contains(step) {
          moments.append((scene.clock.now, try await scene.contents()))
        }
        scene.clock.move(bySeconds: Int64(1 + random.next(5)))
      }
      // The sweep removes the files that no record and no version uses.
      await scene.server.sweepAssets(graceSeconds: 0)
      #expect(Set(moments.map { $0.contents }).count > 15)
      while !moments.isEmpty {
        let moment = moments.remove(at: random.next(moments.count))
        // The deletion of a record may cascade to records that this round has already examined.
        for round in 1...6 {
          let done = try await scene.restore(to: moment.time, [:])
          try await scene.server.continueCascades()
          if done.restored + done.deleted + done.refused == 0 { break }
          try #require(round < 6, "seed \(seed)")
        }
        #expect(try await scene.contents() == moment.contents, "seed \(seed), \(moment.time)")
        scene.clock.move(bySeconds: 60)
      }
    }
  }

  /// Makes a random change.
  private func change(
    _ kind: Int, by user: Client, _ isAnna: Bool, _ photos: [JSON], _ random: inout Steps
  ) async throws {
    var client = user
    var zone: String? = ["Work", "Home"][random.next(2)]
    if random.next(4) == 0 {
      client.database = random.next(2) == 0 ? "public" : "private"
      zone = nil
    }
    // NB: only the creator of a public record may change it, so each user saves records with names
    // of its own.
    let prefix = isAnna ? "a" : "b"
    let name = "\(prefix)\(random.next(6))"
    switch kind {
    case 0...4:
      var fields: JSON = [
        "text": ["value": .string(String(repeating: "é", count: random.next(50)))]
      ]
      if random.next(3) == 0, isAnna, client.database == "private" {
        fields = fields.with("photo", ["value": photos[random.next(2)]])
      }
      if random.next(3) == 0 {
        fields = fields.with(
          "to", ["value": ["recordName": "\(prefix)\(random.next(6))", "action": "DELETE_SELF"]])
      }
      let record: JSON = [
        "recordName": "\(name)", "recordType": .string(["Note", "List"][random.next(2)]),
        "fields": fields,
      ]
      _ = try await client.modify(
        [["operationType": "forceReplace", "record": record]], in: zone, atomic: false)
    case 5...8:
      _ = try await client.modify(
        [["operationType": "forceDelete", "record": ["recordName": "\(name)"]]], in: zone,
        atomic: false)
    default:
      guard let zone else { return }
      try await client.deleteZone(zone)
      try await client.makeZone(zone)
    }
  }
}

/// Random numbers that are derived from a seed.
private struct Steps {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns a number from 0 to `count - 1` (SplitMix64).
  mutating func next(_ count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(count))
  }
}
