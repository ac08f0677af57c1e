import StratusWire
import Testing

@testable import StratusDomain

/// Tests of records and shares after other records are deleted.
@Suite struct `Deletions around a share` {
  private func withServer(_ body: (SharedServer) async throws -> Void) async throws {
    let server = try await SharedServer()
    do { try await body(server) } catch {
      server.close()
      throw error
    }
    server.close()
  }

  private func note(
    _ name: String, below parent: String? = nil, referringTo target: String? = nil,
    action: String = "DELETE_SELF"
  ) throws -> RecordOperation {
    var save = RecordOperation(
      .forceUpdate, recordName: name, recordType: "Note",
      parent: parent.map { .set(recordName: $0) } ?? .unchanged)
    if let target {
      save.fields = try JSONView(
        parsing: Array(
          #"{"to":{"value":{"recordName":"\#(target)","action":"\#(action)"},"type":"REFERENCE"}}"#
            .utf8))
    }
    return save
  }

  private func share(_ root: String) -> RecordOperation {
    var share = RecordOperation(
      .create, recordName: "S-" + root, recordType: ShareRecord.recordType)
    share.share = ShareInput(rootRecordName: root, publicPermission: .readWrite)
    return share
  }

  private func join(_ root: String, as user: String, _ server: SharedServer) async throws {
    let shown = try await server.lookUp(["S-" + root], as: SharedServer.ann)["S-" + root]
    #expect(try await server.accept(try #require(shown?.shortGUID), as: user) == nil)
  }

  private func delete(_ name: String) -> RecordOperation {
    RecordOperation(.forceDelete, recordName: name)
  }

  /// A cascade deletes the folder. Its child `secret` stays, and the folder is still its parent.
  @Test func `a participant's record cannot take the place of a missing parent`() async throws {
    try await withServer { server in
      for save in [
        try note("a"), try note("target"), try note("folder", below: "a", referringTo: "target"),
        try note("secret", below: "folder"), share("a"),
      ] {
        #expect(try await server.modify([save], as: SharedServer.ann) == [nil])
      }
      try await join("a", as: "_bob", server)
      #expect(try await server.lookUp(["secret"], as: "_bob").count == 1)
      #expect(try await server.modify([delete("target")], as: SharedServer.ann) == [nil])
      #expect(try await server.lookUp(["secret", "folder"], as: "_bob").isEmpty)
      let save = try note("folder", below: "a")
      #expect(try await server.modify([save], as: "_bob") == [.accessDenied])
      #expect(try await server.lookUp(["secret"], as: "_bob").isEmpty)
      #expect(
        try await server.modify([try note("another", below: "a")], as: "_bob") == [nil])
      // The owner may save the folder, and its child joins the share again.
      #expect(try await server.modify([save], as: SharedServer.ann) == [nil])
      #expect(try await server.lookUp(["secret"], as: "_bob").count == 1)
    }
  }

  @Test func `a batch whose cascade deletes a root does not share the root`() async throws {
    try await withServer { server in
      for isStored in [false, true] {
        #expect(try await server.modify([try note("target")], as: SharedServer.ann) == [nil])
        let root = try note("a", referringTo: "target")
        var batch = [delete("target"), root, share("a")]
        if isStored {
          #expect(try await server.modify([root], as: SharedServer.ann) == [nil])
          batch.remove(at: 1)
        }
        #expect(try await server.modify(batch, as: SharedServer.ann).allSatisfy { $0 == nil })
        #expect(try await server.lookUp(["a", "S-a"], as: SharedServer.ann).isEmpty)
        try await expectUnshared("a", server)
      }
    }
  }

  /// The share's own record refers to the deleted record.
  @Test func `a batch whose cascade deletes a share does not share the root`() async throws {
    try await withServer { server in
      #expect(
        try await server.modify([try note("a"), try note("target")], as: SharedServer.ann)
          == [nil, nil])
      var share = share("a")
      share.fields = try note("a", referringTo: "target").fields
      let codes = try await server.modify([delete("target"), share], as: SharedServer.ann)
      #expect(codes == [nil, nil])
      #expect(try await server.lookUp(["S-a"], as: SharedServer.ann).isEmpty)
      try await expectUnshared("a", server)
    }
  }

  private func expectUnshared(_ root: String, _ server: SharedServer) async throws {
    let isShared = try await server.store.read { (store) throws(ServerError) in
      guard let zone = try store.zone(named: "Trips", in: SharedServer.address.database) else {
        return true
      }
      if try store.shareLink(ofRoot: root, in: zone)?.shareName != nil { return true }
      return try !store.sharedRoots(among: [root], in: zone).isEmpty
    }
    #expect(!isShared)
    let shown = try await server.lookUp([root], as: SharedServer.ann)[root]
    #expect(shown?.shareRecordName == nil)
  }

  /// An unfinished cascade will delete the root, so the root counts as deleted.
  @Test func `a root that counts as deleted is no longer shared after it is saved again`()
    async throws
  {
    try await withServer { server in
      for save in [
        try note("target"), try note("a", referringTo: "target"), try note("b"), share("a"),
      ] {
        #expect(try await server.modify([save], as: SharedServer.ann) == [nil])
      }
      try await join("a", as: "_bob", server)
      try await server.store.write { (store) throws(ServerError) in
        guard let zone = try store.lockZone(named: "Trips", in: SharedServer.address.database)
        else { return }
        try store.addCascade(
          UnfinishedCascade(
            zone: zone, target: "target", change: zone.change,
            userRecordName: SharedServer.ann, deviceID: "d"))
      }
      // The root counts as deleted, so its share counts as ended. But the root cannot be shared
      // again before it is saved again.
      var again = share("a")
      again.recordName = "S-2"
      #expect(try await server.modify([again], as: SharedServer.ann) == [.badRequest])
      #expect(try await server.modify([try note("a")], as: SharedServer.ann) == [nil])
      try await expectUnshared("a", server)
      #expect(try await server.lookUp(["S-a"], as: SharedServer.ann).isEmpty)
      await #expect(throws: ServerError(.zoneNotFound, Reason.zoneNotFound)) {
        _ = try await server.lookUp(["a"], as: "_bob")
      }
    }
  }

  /// The participant's app sends the whole record back.
  @Test func `a reference to a hidden record may stay in a record of the share`() async throws {
    try await withServer { server in
      for save in [
        try note("a"), try note("hidden"), try note("other"), share("a"),
        try note("b", below: "a", referringTo: "hidden", action: "VALIDATE"),
      ] {
        #expect(try await server.modify([save], as: SharedServer.ann) == [nil])
      }
      try await join("a", as: "_bob", server)
      let same = try note("b", referringTo: "hidden", action: "VALIDATE")
      #expect(try await server.modify([same], as: "_bob") == [nil])
      let changed = try note("b", referringTo: "other", action: "VALIDATE")
      #expect(try await server.modify([changed], as: "_bob") == [.validatingReferenceError])
      let new = try note("c", below: "a", referringTo: "hidden", action: "VALIDATE")
      #expect(try await server.modify([new], as: "_bob") == [.validatingReferenceError])
    }
  }
}

/// Data of the owner that a participant of a hierarchy could infer.
@Suite struct `Data that a participant could infer` {
  @Test func `a participant infers nothing about the owner's writes outside the share`()
    async throws
  {
    let server = try await SharedServer()
    defer { server.close() }
    for (name, parent) in [("a", nil), ("b", "a"), ("z", nil)] as [(String, String?)] {
      try await server.save(name, below: parent)
    }
    try await server.share("a", with: "_bob")
    func poll(_ token: String?) async throws -> (zones: Int, token: String?) {
      let page = try await server.databaseChanges(of: "_bob", since: token, relisting: 9)
      return (page.zones.count, page.syncToken)
    }
    var database = try await poll(nil).token
    var zone = try await server.page(of: "_bob", since: nil, limit: 9).syncToken
    for _ in 0..<3 {
      try await server.save("z", below: nil)
      let news = try await poll(database)
      #expect(news.zones == 0)
      #expect(news.token == database)
      let page = try await server.page(of: "_bob", since: zone, limit: 9)
      #expect(page.records.isEmpty)
      #expect(page.syncToken == zone)
    }
    try await server.save("b", below: "a")
    let news = try await poll(database)
    #expect(news.zones == 1)
    database = news.token
    let page = try await server.page(of: "_bob", since: zone, limit: 9)
    #expect(page.records.count == 1)
    zone = page.syncToken
    // The participant of the whole zone learns of every change.
    try await server.share(nil, with: "_cid")
    let first = try await server.databaseChanges(of: "_cid", since: nil, relisting: 9).syncToken
    try await server.save("z", below: nil)
    let change = try await server.databaseChanges(of: "_cid", since: first, relisting: 9)
    #expect(change.zones.count == 1)
    #expect(try await poll(database).zones == 0)
  }
}
