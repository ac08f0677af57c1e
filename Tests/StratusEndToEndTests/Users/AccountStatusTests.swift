import CloudKit
import StratusDomain
import StratusServer
import StratusTesting
import StratusTransport
import StratusWire
import Testing

extension Cloud {
  /// Disables an account, as `stratus account disable` does.
  func disable(_ email: String) async throws {
    let request = DisableAccount.Request(email: email)
    let answer = try await server.exchange.send(
      HTTPRequest(
        url: try #require(URL(string: "http://stratus.test/management/1/" + DisableAccount.path)),
        headers: ["Authorization": "Bearer \(server.managementToken)"], body: request.jsonBytes,
        timeoutSeconds: 600))
    #expect(answer.status == 200)
  }
}

extension Cloud {
  /// Restricts an account, as `stratus account restrict` does.
  fileprivate func restrict(_ email: String) async throws {
    let request = RestrictAccount.Request(email: email)
    let answer = try await server.exchange.send(
      HTTPRequest(
        url: try #require(URL(string: "http://stratus.test/management/1/" + RestrictAccount.path)),
        headers: ["Authorization": "Bearer \(server.managementToken)"], body: request.jsonBytes,
        timeoutSeconds: 600))
    #expect(answer.status == 200)
  }
}

@Suite struct `An account that the operator restricts` {
  @Test
  func `a device of a restricted account sees the status restricted and gets no data`()
    async throws
  {
    try await withCloud { cloud in
      let device = try await cloud.device()
      try await cloud.restrict("ann@example.org")
      #expect(try await device.accountStatus() == .restricted)
      await expect(.managedAccountRestricted) {
        try await device.privateCloudDatabase.record(for: id("a"))
      }
    }
  }
}

@Suite struct `An account that the operator disables` {
  @Test
  func `on a device of a disabled account, the account status is immediately restricted`()
    async throws
  {
    try await withCloud { cloud in
      let device = try await cloud.device()
      #expect(try await device.accountStatus() == .available)
      try await cloud.disable("ann@example.org")
      #expect(try await device.accountStatus() == .restricted)
      await expect(.managedAccountRestricted) { try await device.userRecordID() }
      await expect(.managedAccountRestricted) {
        try await device.privateCloudDatabase.record(for: id("a"))
      }
    }
  }
}

@Suite struct `A server with limits` {
  private func withLimits(
    _ limits: LimitSettings, _ body: (Cloud) async throws -> Void
  ) async throws {
    // The clock of this server does not move.
    let ambient = Ambient(now: { 1_767_225_600_000 }, makeUUID: Ambient.live.makeUUID)
    let server = try await TestServer(live: Live(ambient: ambient), limits: limits)
    do {
      try await body(Cloud(server: server))
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  @Test func `a throttled app gets the retry delay`() async throws {
    try await withLimits(LimitSettings(operationsPerUser: .init(perSecond: 1, burst: 10))) {
      let database = try await $0.device().privateCloudDatabase
      try await database.save(CKRecordZone(zoneID: zoneZ))
      try await database.saveNotes(["a", "b", "c"])
      let error = await expect(.requestRateLimited) {
        try await database.saveNotes((0..<20).map { "n\($0)" })
      }
      // One zone and three records have used four of the ten operations. A batch that is larger
      // than the burst may start when all ten are available. One becomes available each second, so
      // this takes four seconds.
      #expect(error?.retryAfterSeconds == 4)
    }
  }

  @Test func `a save into a zone with too many writers fails with zoneBusy`() async throws {
    try await withLimits(LimitSettings(zoneWritersMax: 0)) {
      let database = try await $0.device().privateCloudDatabase
      try await database.save(CKRecordZone(zoneID: zoneZ))
      let error = await expect(.zoneBusy) { try await database.save(note("a")) }
      #expect(error?.retryAfterSeconds == 1)
    }
  }
}
