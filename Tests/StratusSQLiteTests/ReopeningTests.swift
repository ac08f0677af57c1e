import StratusDomain
import StratusWire
import Testing

@testable import StratusSQL
@testable import StratusSQLite

@Suite struct `A store that is opened again` {
  /// Runs one body on a store, closes and opens the store's file, and runs the other body.
  private func reopening(
    _ before: (any Store) async throws -> Void, then after: (any Store) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { url in
      try await withStores(in: url, epoch: 1) { stores in
        try await before(try await stores.store(at: development))
      }
      try await withStores(in: url, epoch: 2) { stores in
        try await after(try await stores.store(at: development))
      }
    }
  }

  @Test
  func `a store that is opened again has its schema with index marks, indexes and settings`()
    async throws
  {
    var expected = Schema()
    try await reopening { store in
      expected = try await store.write { (body) throws(ServerError) in
        try body.add(
          SchemaAddition(
            recordTypes: ["Note"],
            fields: [
              .init(
                recordType: "Note", name: "title", type: FieldType(.string), indexes: .sortable),
              .init(
                recordType: "Note", name: "secret",
                type: FieldType(.bytes, isList: true, isEncrypted: true)),
            ],
            markings: [
              .init(recordType: "Note", key: .system(.creator), indexes: .queryable)
            ]))
        try body.set(ContainerSettings(requiresReferenceTargets: true))
        let columns = [
          IndexColumn(.field("title"), .descendingValue), IndexColumn(.system(.recordName)),
          IndexColumn(.searchableFields, .token),
        ]
        let built = try body.addIndex(recordType: "Note", columns: columns)
        _ = try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("title"))])
        try body.setBuildCursor(
          IndexBuildCursor(database: 1, zone: 2, recordName: "é\0"), of: built.id)
        return try body.schema()
      }
    } then: { store in
      let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
      #expect(schema == expected)
      #expect(schema.indexes["Note"]?.count == 2)
      #expect(
        schema.recordTypes["Note"]?.fields["secret"]?.type
          == FieldType(.bytes, isList: true, isEncrypted: true))
      let next = try await store.write { (body) throws(ServerError) in
        try body.addIndex(recordType: "Note", columns: [])
      }
      #expect(expected.indexes["Note"]?.allSatisfy { $0.id < next.id } == true)
      #expect(next.columns == [])
    }
  }

  @Test
  func `a store that is opened again has its entries, links, cascades and assets`() async throws {
    let link = RecordLink(kind: .deleteSelf, target: "x", source: "r")
    let entry = IndexEntry(index: 1, value: [0, 255], record: 3)
    let asset = StoredAsset(checksum: [1, 0, 255], file: "file", size: 3, touched: 5)
    try await reopening { store in
      try await store.write { (body) throws(ServerError) in
        var rows = RowChanges()
        rows.added.links = [link]
        rows.added.entries = [entry]
        rows.added.holds = [AssetHold(checksum: asset.checksum, recordName: "r")]
        let zone = try body.createZone(named: "Notes", in: .public)
        _ = try body.register(asset)
        try body.apply(ChangeSet(zone: zone, records: [record("r", 1, [])], rows: rows))
        try body.addCascade(
          UnfinishedCascade(
            zone: zone, target: "x", change: 1, userRecordName: "_ann", deviceID: "a"))
      }
    } then: { store in
      try await store.write { (body) throws(ServerError) in
        guard let zone = try body.zone(named: "Notes", in: .public) else {
          throw .fault("no zone")
        }
        let range = EntryRange(index: 1, lower: [], upper: nil)
        let entries = try body.entries(in: range, of: .public, limit: 9)
        #expect(entries == [FoundEntry(value: entry.value, zone: zone.id, record: 3)])
        #expect(try body.links(.deleteSelf, to: ["x"], in: zone, limit: 9) == [link])
        #expect(try body.unfinishedCascades(limit: 9).map(\.target) == ["x"])
        #expect(try body.asset(checksum: asset.checksum) == asset)
        #expect(try body.unregister(asset, touchedBefore: .max) == false)
      }
    }
  }

  @Test func `a stored index with an unknown column is refused`() async throws {
    for text in ["value field", "VALUE field title", "value system title", "token searchable x"] {
      #expect(throws: ServerError.self) { try IndexColumnsText.columns(of: text) }
    }
  }
}
