import Foundation
import StratusDomain
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `The readers of a file` {
  /// Each open connection uses memory for the mapped file and for its cache.
  @Test
  func `connections for reading are closed if they were not used since the last check`()
    async throws
  {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { stores in
        try await stores.store(at: development).save("one")
        let path = url.appendingPathComponent("iCloud.org.example/development.sqlite").path
        let readers = SQLiteReaders<StoreSession>(path: path, countMax: 2, waitingMax: 2)
        func findsZone() async throws -> Bool {
          try await readers.read { (session) throws(ServerError) in
            try session.zone(named: "Notes", in: .public) != nil
          }
        }
        for _ in 0..<2 {
          #expect(try await findsZone())
          #expect(!readers.closeUnused())
        }
        #expect(readers.closeUnused())
        #expect(!readers.closeUnused())
        #expect(try await findsZone())
        await readers.close()
      }
    }
  }
}
