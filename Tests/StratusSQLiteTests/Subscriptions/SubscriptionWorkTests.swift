import StratusWire
import Testing

@testable import StratusDomain

/// The work of requests with many small operations, and how it is counted.
@Suite struct `The work for subscriptions and zones` {
  private static let address = DatabaseAddress(
    store: SharedServer.storeAddress, scope: .private)

  private func withHandlers(
    _ body: (ModifySubscriptionsHandler, ModifyZonesHandler, CountedStores) async throws -> Void
  ) async throws {
    let stores = try CountedStores()
    let ambient = Ambient(now: { 1_767_225_600_000 }, makeUUID: { "UUID" })
    let databases = DatabaseAccess(
      stores: stores, users: UserRecords(ambient: ambient),
      tickets: AssetTickets(signer: NoSigner()), ambient: ambient, createContainer: { _, _ in })
    defer { stores.close() }
    try await body(
      ModifySubscriptionsHandler(databases: databases, ambient: ambient),
      ModifyZonesHandler(databases: databases, ambient: ambient, changes: LocalSignals()), stores)
  }

  private static func saves(_ numbers: Range<Int>) -> ModifySubscriptions.Request {
    ModifySubscriptions.Request(
      operations: numbers.map { .save(Subscription(id: "s\($0)", .database(recordType: nil))) })
  }

  private static func caller() -> Caller {
    Caller(userRecordName: SharedServer.ann, deviceID: "d1", requestUUID: "r")
  }

  /// The statements that count the subscriptions of a user read all of them.
  @Test func `a save of many subscriptions counts the user's subscriptions once`() async throws {
    try await withHandlers { subscriptions, _, stores in
      // The first request of a user also creates the user's record.
      _ = try await subscriptions.answer(
        Self.saves(100..<101), to: Self.caller(), in: Self.address)
      _ = stores.takeStatements()
      let response = try await subscriptions.answer(
        Self.saves(0..<10), to: Self.caller(), in: Self.address)
      #expect(response.subscriptions.count == 10)
      let statements = stores.takeStatements()
      for text in ["SELECT COUNT(*) FROM", "SELECT SUM(LENGTH(definition)) FROM"] {
        #expect(statements.filter { $0 == text }.count == 1, "\(text)")
      }
    }
  }

  @Test func `the number of subscriptions is limited across the operations of a request`()
    async throws
  {
    try await withHandlers { subscriptions, _, _ in
      let countMax = Limits.subscriptionsPerUserMax
      for start in stride(from: 0, to: countMax - 200, by: 200) {
        _ = try await subscriptions.answer(
          Self.saves(start..<start + 200), to: Self.caller(), in: Self.address)
      }
      var request = Self.saves(countMax - 200..<countMax + 1)
      request.operations.insert(.delete(id: "s0"), at: 0)
      request.operations.append(contentsOf: Self.saves(countMax + 1..<countMax + 2).operations)
      let response = try await subscriptions.answer(
        request, to: Self.caller(), in: Self.address)
      let refused = response.subscriptions.map { item in
        if case .failure = item { true } else { false }
      }
      // The deletion makes room for one more subscription.
      #expect(refused.dropLast().allSatisfy { !$0 })
      #expect(refused.last == true)
    }
  }

  @Test func `the work of small operations counts, so that many of them are expensive`()
    async throws
  {
    try await withHandlers { subscriptions, zones, _ in
      let caller = Self.caller()
      _ = try await subscriptions.answer(Self.saves(0..<20), to: caller, in: Self.address)
      #expect(caller.work.steps >= Limits.expensiveStepsMin)
      let other = Self.caller()
      let operations = (0..<20).map {
        ModifyZones.Operation(.create, ZoneID(zoneName: "z\($0)"))
      }
      _ = try await zones.answer(
        ModifyZones.Request(operations: operations), to: other, in: Self.address)
      #expect(other.work.steps >= Limits.expensiveStepsMin)
    }
  }
}

private struct NoSigner: TicketSigner {
  func signature(of bytes: [UInt8]) -> [UInt8] { [] }
  func isValid(_ signature: [UInt8], of bytes: [UInt8]) -> Bool { false }
  func encrypted(_ bytes: [UInt8]) -> [UInt8] { bytes }
  func decrypted(_ bytes: [UInt8]) -> [UInt8]? { bytes }
}
