import Foundation
import StratusConformance
import StratusDomain
import StratusSQL
import Testing

@testable import StratusSQLite

@Suite struct `SQLite store` {
  @Test(arguments: StoreConformance.checks)
  func `the SQLite store passes the conformance suite and scans no large table`(
    _ check: StoreConformance.Check
  ) async throws {
    try await withStores { stores in
      try await check.run { try await stores.store(at: development) }
      let plans = try await QueryPlan.all(of: try await stores.openStore(at: development))
      #expect(!plans.isEmpty)
      for plan in plans { #expect(plan.isBounded, "\(plan.line): \(plan.text)") }
    }
  }
}

@Suite struct `SQLite registry` {
  @Test(arguments: RegistryConformance.checks)
  func `the SQLite registry passes the conformance suite`(_ check: RegistryConformance.Check)
    async throws
  {
    try await withTemporaryFolder { url in
      let registry = try SQLiteRegistry(folder: try DataFolder(url))
      do {
        try await check.run { registry }
      } catch {
        await registry.close()
        throw error
      }
      await registry.close()
    }
  }

  @Test func `a registry file that is opened again has its data`() async throws {
    try await withTemporaryFolder { url in
      let account = Account(id: "1", email: "a@b.c", isDisabled: false)
      let folder = try DataFolder(url)
      let first = try SQLiteRegistry(folder: folder)
      _ = try await first.create(account)
      await first.close()
      let second = try SQLiteRegistry(folder: folder)
      #expect(try await second.account(id: "1") == account)
      await second.close()
    }
  }
}
