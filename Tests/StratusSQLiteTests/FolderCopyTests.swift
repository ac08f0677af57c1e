import Foundation
import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `A copy of a store` {
  @Test(arguments: [1, 2, 3], [FolderCopy.Purpose.keep, .beginAnew])
  func `of an earlier version can be used`(
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
}
