import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// The ID of an installation in copies of its registry, and the removals after a restored backup.
@Suite struct `The ID of an installation` {
  @Test(arguments: [(FolderCopy.Purpose.keep, "one"), (FolderCopy.Purpose.beginAnew, "two")])
  func `a copy has the same ID only if it has the same history`(
    purpose: FolderCopy.Purpose, expected: String
  ) async throws {
    try await withTemporaryFolder { root in
      let (old, new) = (root.appendingPathComponent("old"), root.appendingPathComponent("new"))
      #expect(try await installationID(in: old, orKeep: "one") == "one")
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
      try FolderCopy(of: old, in: new, makeEpoch: { 9 }, now: { 1 })
        .copyRegistry(to: purpose, epochs: [:])
      let copied = try await installationID(in: new, orKeep: "two")
      #expect(copied == expected)
      let kept = try await installationID(in: old, orKeep: "three")
      #expect(kept == "one")
    }
  }

  @Test func `a folder whose history was moved to a copy gets another ID`() async throws {
    try await withTemporaryFolder { url in
      _ = try await installationID(in: url, orKeep: "one")
      try FolderRenewal(of: url).run([], keepsOthers: false, makeEpoch: { 9 }, now: 1)
      let found = try await installationID(in: url, orKeep: "two")
      #expect(found == "two")
    }
  }

  @Test func `removals that a restore has left are read in their order until they are applied`()
    async throws
  {
    try await withTemporaryFolder { url in
      _ = try await installationID(in: url, orKeep: "one")
      let entries = (0..<12).map {
        RemovalEntry(time: 5, kind: .disabled, subject: "account \($0)")
      }
      let connection = try SQLiteConnection(
        path: DataFolder.registry(in: url).path, configuration: SQLiteSettings.copied)
      try connection.execute(TransactionStatements.beginWrite, [])
      try RegistryTables.addPending(Array(entries.prefix(3)), on: connection)
      try RegistryTables.addPending(Array(entries.dropFirst(3)), on: connection)
      try connection.execute(TransactionStatements.commit, [])
      connection.close()
      let folder = try DataFolder(url)
      defer { folder.unlock() }
      let registry = try SQLiteRegistry(folder: folder)
      #expect(try await registry.pendingRemovals() == entries)
      try await registry.forgetPendingRemovals()
      #expect(try await registry.pendingRemovals() == [])
      await registry.close()
    }
  }
}
