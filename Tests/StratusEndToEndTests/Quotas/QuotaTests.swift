import CloudKit
import StratusTesting
import StratusTransport
import StratusWire
import Testing

extension Cloud {
  /// Limits the bytes of each private database, as `stratus quota set --each-user` does.
  fileprivate func limitEachUser(_ limit: SetQuota.Limit) async throws {
    let request = SetQuota.Request(
      containerID: Self.containerID, environment: .development, target: .eachUser, limit: limit)
    let answer = try await server.exchange.send(
      HTTPRequest(
        url: try #require(URL(string: "http://stratus.test/management/1/" + SetQuota.path)),
        headers: ["Authorization": "Bearer \(server.managementToken)"], body: request.jsonBytes,
        timeoutSeconds: 600))
    #expect(answer.status == 200)
  }
}

@Suite struct `A user whose storage is full` {
  @Test func `a save fails with the number of bytes that are left, and a deletion succeeds`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.saveNotes(["kept"])
      try await cloud.limitEachUser(.bytes(0))
      let error = await expect(.quotaExceeded) {
        try await database.save(note("new", title: String(repeating: "x", count: 100)))
      }
      #expect(error?.localizedDescription.contains("0 bytes are left") == true, "\(error as Any)")
      _ = try await database.deleteRecord(withID: id("kept"))
      try await cloud.limitEachUser(.unlimited)
      #expect(try await database.save(note("new")).recordChangeTag != nil)
    }
  }

  @Test func `in a batch that is not atomic, only the save that exceeds the quota fails`()
    async throws
  {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await cloud.limitEachUser(.bytes(500))
      let (saves, _) = try await database.modifyRecords(
        saving: [note("a", title: "A"), note("b", title: String(repeating: "x", count: 600))],
        deleting: [], atomically: false)
      #expect(try saves[id("a")]?.get().recordChangeTag != nil)
      #expect(code(saves[id("b")]) == .quotaExceeded)
    }
  }
}
