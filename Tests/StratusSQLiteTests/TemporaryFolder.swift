import Foundation
import StratusDomain
import StratusSQL
import StratusWire

@testable import StratusSQLite

/// Runs a test with a new folder, and removes the folder afterwards.
func withTemporaryFolder(_ body: (URL) async throws -> Void) async throws {
  let url = FileManager.default.temporaryDirectory
    .appendingPathComponent("stratus-\(UUID().uuidString)", isDirectory: true)
  defer { try? FileManager.default.removeItem(at: url) }
  try await body(url)
}

/// Runs a test with the stores of a new folder, and closes the stores afterwards.
func withStores(_ body: (SQLiteStores) async throws -> Void) async throws {
  try await withTemporaryFolder { url in
    try await withStores(in: url, epoch: 7, body)
  }
}

/// Runs a test with the stores of a folder, and closes the stores afterwards.
func withStores(
  in url: URL, epoch: Int64, _ body: (SQLiteStores) async throws -> Void
) async throws {
  let folder = try DataFolder(url)
  let stores = SQLiteStores(folder: folder, makeEpoch: { epoch })
  // NB: unlock before the descriptor is closed. A program that another test starts at this moment
  // may have a copy of the descriptor, and with it the lock.
  defer { folder.unlock() }
  do {
    try await body(stores)
  } catch {
    await stores.close()
    throw error
  }
  await stores.close()
}

let development = StoreAddress(container: "iCloud.org.example", environment: .development)

extension Store {
  /// Saves one record with its zone's next change number. Creates the zone if it does not exist.
  func save(_ name: String, text: [UInt8] = Array("{}".utf8)) async throws(ServerError) {
    try await write { (body) throws(ServerError) in
      var zone = try body.lockZone(named: "Notes", in: .public)
      if zone == nil { zone = try body.createZone(named: "Notes", in: .public) }
      guard let zone else { return }
      try body.apply(ChangeSet(zone: zone, records: [record(name, zone.change + 1, text)]))
    }
  }

  /// The record names in the changes of the zone that `save` writes to.
  func names() async throws(ServerError) -> [String] {
    try await read { (body) throws(ServerError) in
      guard let zone = try body.zone(named: "Notes", in: .public) else { return [] }
      return try body.recordChanges(
        in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false, limit: 10_000,
        sizeBytesMax: .max
      ).map(\.name)
    }
  }
}

func record(_ name: String, _ change: Int64, _ text: [UInt8]) -> StoredRecord {
  let stamp = Stamp(timestamp: 1, userRecordName: "_ann", deviceID: "a")
  return StoredRecord(
    name: name, type: "Note", change: change, isDeleted: false, created: stamp, modified: stamp,
    parentRecordName: nil, fields: FieldsJSON(text: text))
}
