import StratusWire
import Testing

@testable import StratusDomain

/// The work of one request, counted in statements and rows (DESIGN promise 7).
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

  /// Ann saves records and shares them with Bob, who joins all of them.
  private func shareRoots(_ count: Int, on server: SharedServer) async throws {
    for start in stride(from: 0, to: count, by: 20) {
      let names = (start..<min(start + 20, count)).map(Self.name)
      let shares = names.map { name in
        var share = RecordOperation(
          .create, recordName: "S-" + name, recordType: ShareRecord.recordType)
        share.share = ShareInput(rootRecordName: name, publicPermission: .readWrite)
        return share
      }
      let saves = names.map {
        RecordOperation(.forceUpdate, recordName: $0, recordType: "Note")
      }
      let codes = try await server.modify(saves + shares, as: SharedServer.ann)
      #expect(codes.allSatisfy { $0 == nil })
      for name in names {
        let shown = try await server.lookUp(["S-" + name], as: SharedServer.ann)["S-" + name]
        #expect(try await server.accept(try #require(shown?.shortGUID), as: "_bob") == nil)
      }
    }
  }

  @Test func `to leave a zone grows with the number of its shares, and not with their square`()
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

  @Test func `has a bound: a user joins a limited number of shares in one zone`() async throws {
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
      // Room for one more.
      try await server.end("other 1", for: "_bob")
      #expect(try await server.accept(shortGUID, as: "_bob") == nil)
    }
  }
}

/// The record of a share below the root of another share, as a server before this rule stored it.
@Suite struct `A share's record that lies in another share` {
  @Test func `gives the participants of that share no rights, and they do not leave it`()
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
    // The next save of its owner puts it back.
    #expect(try await server.modify([opening], as: SharedServer.ann) == [nil])
    #expect(try await server.lookUp(["S-a"], as: "_bob").isEmpty)
    #expect(try await server.lookUp(["S-a"], as: "_cid").count == 1)
  }
}
