import Foundation
import StoreTestSupport
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `A copy of a store` {
  @Test(arguments: [1, 2, 3], [FolderCopy.Purpose.keep, .beginAnew])
  func `a copy of an earlier version's store can be opened`(
    _ layout: Int, _ purpose: FolderCopy.Purpose
  ) async throws {
    try await withTemporaryFolder { root in
      let (old, new) = (root.appendingPathComponent("old"), root.appendingPathComponent("new"))
      for url in [old, new] {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      }
      switch layout {
      case 1: try LayoutOne.make(in: old)
      case 2: try LayoutTwo.make(in: old)
      case _: try LayoutThree.make(in: old)
      }
      #expect(try DataFolder.stores(in: old) == [development])
      try FolderCopy(of: old, in: new, makeEpoch: { 99 }, now: { 1_000 })
        .copyStore(at: development, to: purpose)
      let folder = try DataFolder(new)
      defer { folder.unlock() }
      let stores = SQLiteStores(folder: folder, makeEpoch: { 7 }, now: { 1_000 })
      let (epoch, zone) = try await stores.store(at: development)
        .read { (store) throws(ServerError) in
          (
            try store.epoch(of: DatabaseKey.public),
            try store.zone(named: "Notes", in: .private(owner: "_ann"))
          )
        }
      #expect((epoch == 99) == (purpose == .beginAnew))
      #expect(zone != nil)
      await stores.close()
    }
  }

  /// SQLite restarts a copy when another connection commits a change.
  @Test
  func `a copy has the state of one moment and completes, although a server writes meanwhile`()
    async throws
  {
    try await withTemporaryFolder { root in
      let (old, new) = (root.appendingPathComponent("old"), root.appendingPathComponent("new"))
      try FileManager.default.createDirectory(at: new, withIntermediateDirectories: true)
      let text = Array("{\"a\":\"\(String(repeating: "x", count: 1_000_000))\"}".utf8)
      try await withStores(in: old, epoch: 7) { stores in
        let store = try await stores.store(at: development)
        for number in 0..<16 { try await store.save("note-\(number)", text: text) }
        let server = try SQLiteShell(path: DataFolder.file(of: development, in: old).path)
        let copy = FolderCopy(of: old, in: new, makeEpoch: { 99 }, now: { 1_000 })
        #expect(copy.sizeBytes(of: development) > 16_000_000)
        var shares: [Double] = []
        try copy.copyStore(at: development, to: .keep) { share in
          shares.append(share)
          guard shares.count < 30 else { return }
          try? server.write("UPDATE records SET modified_at = 5")
        }
        #expect((4..<30).contains(shares.count))
        #expect(shares == shares.sorted())
        #expect(shares.last == 1)
      }
      let copied = try SQLiteShell(path: DataFolder.file(of: development, in: new).path)
      let times = try copied.integers("SELECT DISTINCT modified_at FROM records")
      #expect(times == [1])
    }
  }
}
