import StratusWire
import Testing

@testable import StratusDomain

/// The work of one request, counted in statements and rows.
@Suite struct `The work for shares` {
  private func withCounts(
    _ body: (SharedServer, CountedStores) async throws -> Void
  ) async throws {
    let stores = try CountedStores()
    let server = try await SharedServer(stores)
    do { try await body(server, stores) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  private static func name(_ index: Int) -> String {
    (index < 10 ? "r00" : index < 100 ? "r0" : "r") + String(index)
  }

  private func shareOperation(_ root: String) -> RecordOperation {
    var share = RecordOperation(
      .create, recordName: "S-" + root, recordType: ShareRecord.recordType)
    share.share = ShareInput(rootRecordName: root, publicPermission: .readWrite)
    return share
  }

  /// Ann saves records and shares them. Bob joins all of them.
  private func shareRoots(
    _ count: Int, on server: SharedServer, joins: Bool = true
  ) async throws {
    for start in stride(from: 0, to: count, by: 20) {
      let names = (start..<min(start + 20, count)).map(Self.name)
      let shares = names.map(shareOperation)
      let saves = names.map {
        RecordOperation(.forceUpdate, recordName: $0, recordType: "Note")
      }
      let codes = try await server.modify(saves + shares, as: SharedServer.ann)
      #expect(codes.allSatisfy { $0 == nil })
      for name in names where joins {
        let shown = try await server.lookUp(["S-" + name], as: SharedServer.ann)["S-" + name]
        #expect(try await server.accept(try #require(shown?.shortGUID), as: "_bob") == nil)
      }
    }
  }

  @Test func `the work of leaving a zone is proportional to the number of joined shares`()
    async throws
  {
    var rows: [Int] = []
    for count in [20, 80] {
      try await withCounts { server, stores in
        try await shareRoots(count, on: server)
        _ = stores.take()
        #expect(try await server.leaveZone(as: "_bob") == nil)
        rows.append(stores.take().rows)
        #expect(try await server.leaveZone(as: "_bob") == .zoneNotFound)
      }
    }
    #expect(rows[1] < 6 * rows[0], "\(rows)")
  }

  @Test func `a user can join only a limited number of shares in one zone`() async throws {
    try await withCounts { server, _ in
      try await shareRoots(1, on: server)
      for index in 1..<Limits.joinedSharesPerZoneMax {
        try await server.save("other \(index)", below: nil)
        try await server.share("other \(index)", with: "_bob")
      }
      var share = RecordOperation(
        .create, recordName: "S-last", recordType: ShareRecord.recordType)
      try await server.save("last", below: nil)
      share.share = ShareInput(rootRecordName: "last", publicPermission: .readWrite)
      #expect(try await server.modify([share], as: SharedServer.ann) == [nil])
      let shown = try await server.lookUp(["S-last"], as: SharedServer.ann)["S-last"]
      let shortGUID = try #require(shown?.shortGUID)
      #expect(try await server.accept(shortGUID, as: "_bob") == .badRequest)
      #expect(try await server.accept(shortGUID, as: "_cid") == nil)
      // Bob leaves a share, so he can join another share.
      try await server.end("other 1", for: "_bob")
      #expect(try await server.accept(shortGUID, as: "_bob") == nil)
    }
  }

  /// The numbers of SQL statements that save one new share, and twenty new shares in one batch.
  private func costs(amongRoots count: Int) async throws -> (one: Int, twenty: Int) {
    var costs: [Int] = []
    try await withCounts { server, stores in
      try await shareRoots(count, on: server, joins: false)
      for part in [["one"], (0..<20).map { "new \($0)" }] {
        for name in part { try await server.save(name, below: nil) }
        _ = stores.take()
        let codes = try await server.modify(part.map(shareOperation), as: SharedServer.ann)
        #expect(codes.allSatisfy { $0 == nil })
        costs.append(stores.take().statements)
      }
    }
    return (costs[0], costs[1])
  }

  @Test
  func `the new shares of a batch are compared with the other roots only once`() async throws {
    let few = try await costs(amongRoots: 20)
    let many = try await costs(amongRoots: 200)
    #expect(many.one > few.one)
    #expect(many.twenty - few.twenty <= many.one - few.one + 5, "\(few) \(many)")
  }

  @Test func `one transaction moves a limited number of records for all its shares`()
    async throws
  {
    try await withCounts { server, _ in
      let names = (0..<5).map(Self.name)
      for name in names {
        try await server.save(name, below: nil)
        for index in 0..<20 { try await server.save("\(name) \(index)", below: name) }
      }
      func joined() async throws -> Int {
        try await server.store.read { (store) throws(ServerError) in
          guard let zone = try store.zone(named: "Trips", in: SharedServer.address.database) else {
            return 0
          }
          let children = names.flatMap { name in (0..<20).map { "\(name) \($0)" } }
          return try store.hierarchies(of: children, in: zone).count
        }
      }
      let codes = try await server.modify(
        names.map(shareOperation), as: SharedServer.ann, followersMax: 10)
      #expect(codes.allSatisfy { $0 == nil })
      // The share records follow their roots, too, so fewer than ten children may follow.
      let first = try await joined()
      #expect(first > 0 && first <= 10, "\(first)")
      try await server.continueHierarchies(limit: 10)
      #expect(try await joined() == 100)
      let ends = names.map { RecordOperation(.forceDelete, recordName: "S-" + $0) }
      #expect(
        try await server.modify(ends, as: SharedServer.ann, followersMax: 10).allSatisfy {
          $0 == nil
        })
      let last = try await joined()
      #expect(last < 100 && last >= 90, "\(last)")
      try await server.continueHierarchies(limit: 10)
      #expect(try await joined() == 0)
    }
  }

  @Test func `one request begins and ends only a limited number of shares`() async throws {
    try await withCounts { server, _ in
      let names = (0...Limits.sharesChangedPerRequestMax).map(Self.name)
      for name in names { try await server.save(name, below: nil) }
      let shares = names.map(shareOperation)
      await #expect(throws: ServerError.badRequest(Reason.batchTooMuchWork)) {
        _ = try await server.modify(shares, as: SharedServer.ann)
      }
      for part in [shares.dropLast(), shares.suffix(1)] {
        let codes = try await server.modify(Array(part), as: SharedServer.ann)
        #expect(codes.allSatisfy { $0 == nil })
      }
      for prefix in ["S-", ""] {
        let deletions = names.map { RecordOperation(.forceDelete, recordName: prefix + $0) }
        await #expect(throws: ServerError.badRequest(Reason.batchTooMuchWork)) {
          _ = try await server.modify(deletions, as: SharedServer.ann)
        }
      }
    }
  }

  /// All roots refer to one record by `deleteSelf`.
  @Test func `one step of a cascade ends only a limited number of shares`() async throws {
    try await withCounts { server, _ in
      let names = (0..<100).map(Self.name)
      try await server.save("target", below: nil)
      for part in [names.prefix(50), names.suffix(50)] {
        let saves = try part.map { name in
          var save = RecordOperation(.forceUpdate, recordName: name, recordType: "Note")
          save.fields = try JSONView(
            parsing: Array(
              #"{"to":{"value":{"recordName":"target","action":"DELETE_SELF"},"type":"REFERENCE"}}"#
                .utf8))
          return save
        }
        let codes = try await server.modify(
          saves + part.map(shareOperation), as: SharedServer.ann)
        #expect(codes.allSatisfy { $0 == nil })
      }
      func shares() async throws -> Int {
        try await server.store.read { (store) throws(ServerError) in
          try store.shareCount(in: SharedServer.address.database)
        }
      }
      #expect(try await shares() == 100)
      let deletion = RecordOperation(.forceDelete, recordName: "target")
      #expect(try await server.modify([deletion], as: SharedServer.ann) == [nil])
      var before = 100
      let now = server.now
      let work = ContinueCascades(
        store: server.store, ambient: Ambient(now: { now }, makeUUID: { "U" }))
      repeat {
        let after = try await shares()
        #expect(before - after <= Limits.sharesChangedPerRequestMax + 20)
        before = after
      } while try await work.step()
      #expect(try await shares() == 0)
    }
  }

  /// Ten chains of ten records each, and one new record below each chain.
  @Test func `a batch of records at the same depth looks up all ancestors together`()
    async throws
  {
    try await withCounts { server, stores in
      try await shareRoots(1, on: server, joins: false)
      var costs: [Int] = []
      for level in 0..<10 {
        for chain in 0..<10 {
          try await server.save(
            "\(chain) \(level)", below: level == 0 ? nil : "\(chain) \(level - 1)")
        }
      }
      for chains in [1, 10] {
        let saves = (0..<chains).map { chain in
          RecordOperation(
            .create, recordName: "leaf \(chains) \(chain)", recordType: "Note",
            parent: .set(recordName: "\(chain) 9"))
        }
        _ = stores.take()
        let codes = try await server.modify(saves, as: SharedServer.ann)
        #expect(codes.allSatisfy { $0 == nil })
        costs.append(stores.take().statements)
      }
      // Each record adds some statements, but its ancestors are not looked up separately.
      #expect(costs[1] - costs[0] < 9 * 15, "\(costs)")
    }
  }

  @Test
  func `a page of a feed reads few rows although a user has joined 30 hierarchies`() async throws {
    try await withCounts { server, stores in
      for root in 0..<30 {
        let name = Self.name(root)
        try await server.save(name, below: nil)
        for index in 0..<8 { try await server.save("\(name) \(index)", below: name) }
        try await server.share(name, with: "_bob")
      }
      _ = stores.take()
      let page = try await server.page(of: "_bob", since: nil, limit: 10)
      #expect(page.records.count == 10)
      #expect(stores.take().rows < 30 + 6 * 10 + 60)
      var bob = SharedDevice(user: "_bob")
      try await bob.follow(server, limit: 10)
      #expect(bob.names.count == 30 * 9)
    }
  }

  @Test func `an acceptance writes only if the user joins a share`() async throws {
    try await withCounts { server, stores in
      try await shareRoots(1, on: server)
      let share = try await server.lookUp(["S-r000"], as: SharedServer.ann)["S-r000"]
      let shortGUID = try #require(share?.shortGUID)
      // A user's first request writes the user's record.
      #expect(try await server.accept("000unknown", as: "_cid") == .notFound)
      let before = stores.writesCount
      #expect(try await server.accept("000unknown", as: "_bob") == .notFound)
      #expect(try await server.accept(shortGUID, as: "_bob") == nil)
      #expect(try await server.accept(shortGUID, as: SharedServer.ann) == nil)
      #expect(stores.writesCount == before)
      #expect(try await server.accept(shortGUID, as: "_cid") == nil)
      #expect(stores.writesCount == before + 1)
    }
  }

  @Test
  func `a save by a user who is no participant takes no place among the zone's writers`()
    async throws
  {
    try await withCounts { server, stores in
      try await shareRoots(1, on: server)
      let writers = ZoneWriters(countMax: 1)
      try writers.enter([
        ZoneWriters.Key(store: SharedServer.storeAddress, zone: SharedServer.address)
      ])
      let save = RecordOperation(.forceUpdate, recordName: "r000", recordType: "Note")
      // A user's first request writes the user's record.
      #expect(try await server.accept("000unknown", as: "_stranger") == .notFound)
      let before = stores.writesCount
      await #expect(throws: ServerError(.zoneNotFound, Reason.zoneNotFound)) {
        _ = try await server.modify([save], as: "_stranger", writers: writers)
      }
      #expect(stores.writesCount == before)
      await #expect(throws: ServerError.self) {
        _ = try await server.modify([save], as: "_bob", writers: writers)
      }
    }
  }

  /// Bob is an administrator of shares with 100 participants, so he sees all participants.
  @Test func `every acceptance of a share is reported, however large the answer is`() async throws {
    try await withCounts { server, _ in
      let names = (0..<28).map(Self.name)
      for name in names { try await server.save(name, below: nil) }
      var shortGUIDs: [String] = []
      for name in names {
        var share = shareOperation(name)
        share.share = ShareInput(
          rootRecordName: name,
          participants: (["_bob"] + (1..<100).map { "_p\($0)" }).map { user in
            ShareParticipant(
              identity: ParticipantIdentity(lookup: .userRecordName(user)), role: .administrator,
              permission: .readWrite)
          })
        #expect(try await server.modify([share], as: SharedServer.ann) == [nil])
        let shown = try await server.lookUp(["S-" + name], as: SharedServer.ann)["S-" + name]
        shortGUIDs.append(try #require(shown?.shortGUID))
      }
      let results = try await server.accept(shortGUIDs, as: "_bob")
      let counts = results.map { result -> Int? in
        guard case .share(let share) = result else { return nil }
        return share.share.sharing?.participants.count
      }
      #expect(counts.first == 101)
      #expect(counts.last == 2)
      #expect(counts.allSatisfy { $0 == 101 || $0 == 2 }, "\(counts)")
    }
  }
}

/// The record of a share is below the root of another share. An earlier version stored such
/// records.
@Suite struct `A share's record that lies in another share` {
  @Test func `a participant cannot save or delete the record of another share in the hierarchy`()
    async throws
  {
    let server = try await SharedServer()
    defer { server.close() }
    for (root, user) in [("a", "_cid"), ("x", "_bob")] {
      try await server.save(root, below: nil)
      var share = RecordOperation(
        .create, recordName: "S-" + root, recordType: ShareRecord.recordType)
      share.share = ShareInput(
        rootRecordName: root,
        participants: [
          ShareParticipant(
            identity: ParticipantIdentity(lookup: .userRecordName(user)), role: .administrator,
            permission: .readWrite)
        ])
      #expect(try await server.modify([share], as: SharedServer.ann) == [nil])
      let shown = try await server.lookUp(["S-" + root], as: SharedServer.ann)["S-" + root]
      #expect(try await server.accept(try #require(shown?.shortGUID), as: user) == nil)
    }
    let now = server.now
    try await server.store.write { (store) throws(ServerError) in
      guard let zone = try store.zone(named: "Trips", in: SharedServer.address.database),
        let share = try store.records(named: ["S-a"], in: zone)["S-a"]
      else { throw .fault("no share") }
      var moved = share
      moved.parentRecordName = "x"
      let origin = ChangeOrigin(
        user: SharedServer.ann, deviceID: nil, notificationID: "N", time: now)
      try ShareEffects(address: SharedServer.address, origin: origin, deviceID: "d")
        .rewrite(moved, replacing: share, in: store)
    }
    #expect(try await server.lookUp(["S-a"], as: "_bob").count == 1)
    let opening = RecordOperation(.forceUpdate, recordName: "S-a")
    #expect(try await server.modify([opening], as: "_bob") == [.accessDenied])
    let deletion = RecordOperation(.forceDelete, recordName: "S-a")
    #expect(try await server.modify([deletion], as: "_bob") == [.accessDenied])
    // The next save by the owner moves the record back into its own share.
    #expect(try await server.modify([opening], as: SharedServer.ann) == [nil])
    #expect(try await server.lookUp(["S-a"], as: "_bob").isEmpty)
    #expect(try await server.lookUp(["S-a"], as: "_cid").count == 1)
  }
}
