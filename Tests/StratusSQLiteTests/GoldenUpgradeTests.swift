import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

/// Store files that an earlier release wrote. Tests/GoldenTests checks their contents.
@Suite struct `Store files from the last release before sharing` {
  private static let source = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Golden/2026-11-before-sharing/server-data")
  private static let stores = [
    StoreAddress(container: "iCloud.org.example.Golden", environment: .development),
    StoreAddress(container: "iCloud.org.example.Golden", environment: .production),
    StoreAddress(container: "iCloud.org.example.Second", environment: .development),
  ]

  private func number(_ column: String, of file: URL) throws -> Int64? {
    try SQLiteShell(path: file.path).integers("SELECT \(column) FROM store").first
  }

  @Test(arguments: stores)
  func `a store file of layout 4 is upgraded to today's layout and keeps its epoch`(
    address: StoreAddress
  ) async throws {
    try await withTemporaryFolder { url in
      let name = "\(address.container)/\(address.environment.rawValue).sqlite"
      try FileManager.default.createDirectory(
        at: url.appending(path: address.container), withIntermediateDirectories: true)
      let file = url.appending(path: name)
      try Data(contentsOf: Self.source.appending(path: name)).write(to: file)
      #expect(try number("layout", of: file) == 4)
      let epoch = try number("epoch", of: file)
      for _ in 0..<2 {
        try await withStores(in: url, epoch: 7) { stores in
          let store = try await stores.store(at: address)
          let found = try await store.read { (body) throws(ServerError) in
            try body.epoch(of: .public)
          }
          // With another epoch, the change tokens of all clients would expire.
          #expect(found == epoch)
        }
      }
      #expect(try number("layout", of: file) == StoreTables.layout)
    }
  }
}
