import StratusDomain
import StratusWire

extension StoreConformance {
  static let retirementChecks: [Check] = [
    Check("the index settings of a field are replaced", marksAreReplaced),
    Check("a retirement is part of the schema until it ends", retirementsAreStored),
    Check("removing a field keeps the rest of the schema", fieldIsRemoved),
    Check("a record type is removed with its grants and indexes", typeIsRemoved),
    Check("the latest devices that wrote a retiring field are kept", writersAreKept),
    Check("a cancelled index build is removed, and a ready index is kept", buildIsCancelled),
    Check("a zone can be locked by its number", zoneIsLockedByNumber),
    Check("after its data is removed, a store looks new to its users", dataIsRemoved),
  ]

  private static let retiringSchema = SchemaAddition(
    recordTypes: ["Note", "Memo"],
    fields: ["title", "text"].map {
      .init(recordType: "Note", name: $0, type: FieldType(.string), indexes: [.queryable])
    })

  static func marksAreReplaced(_ store: any Store) async throws {
    let schema = try await store.write { (body) throws(ServerError) in
      try body.add(retiringSchema)
      try body.set([.sortable], of: .field("title"), in: "Note")
      try body.set([.queryable, .sortable], of: .system(.creationDate), in: "Note")
      try body.set([.queryable], of: .system(.creator), in: "Note")
      try body.set([], of: .system(.creator), in: "Note")
      return try body.schema()
    }
    try expect(schema.recordTypes["Note"]?.fields["title"]?.indexes, [.sortable])
    try expect(schema.recordTypes["Note"]?.fields["text"]?.indexes, [.queryable])
    try expect(
      schema.recordTypes["Note"]?.systemFields, [.creationDate: [.queryable, .sortable]])
    let error = await store.failure { (body) throws(ServerError) in
      try body.set([.sortable], of: .field("none"), in: "Note")
    }
    try expect(error?.code, .internalError)
  }

  static func retirementsAreStored(_ store: any Store) async throws {
    let field = Retirement(
      SchemaPlace("Note", "title"), phase: .reported, successor: "name", isCopied: false,
      since: 7,
      cursor: IndexBuildCursor(database: 1, zone: 2, recordName: "n"))
    let type = Retirement(SchemaPlace("Memo"), phase: .refused, since: 8)
    var later = field
    later.phase = .removing
    later.cursor = nil
    let first = try await store.write { [later] (body) throws(ServerError) in
      try body.add(retiringSchema)
      try body.set(field)
      try body.set(type)
      let first = try body.schema().retirements
      try body.set(later)
      return first
    }
    try expect(first, [field.place: field, type.place: type])
    let schema = try await store.read { (body) throws(ServerError) in try body.schema() }
    try expect(schema.retirements, [field.place: later, type.place: type])
    let ended = try await store.write { (body) throws(ServerError) in
      try body.endRetirement(of: field.place)
      return try body.schema()
    }
    try expect(ended.retirements, [type.place: type])
    try expect(ended.recordTypes["Note"]?.fields.keys.sorted(), ["text", "title"])
  }

  static func fieldIsRemoved(_ store: any Store) async throws {
    let place = SchemaPlace("Note", "title")
    let (schema, writes) = try await store.write { (body) throws(ServerError) in
      try body.add(retiringSchema)
      try body.set(Retirement(place, phase: .removing, since: 0))
      try body.noteWrite(to: place, device: "d", user: "u", at: 1)
      try body.remove(place)
      return (try body.schema(), try body.retiredWrites(of: place, limit: 10))
    }
    try expect(writes, [])
    try expect(schema.recordTypes["Note"]?.fields.keys.sorted(), ["text"])
    try expect(schema.retirements, [:])
  }

  static func typeIsRemoved(_ store: any Store) async throws {
    let schema = try await store.write { (body) throws(ServerError) in
      try body.add(retiringSchema)
      try body.set([.queryable], of: .system(.creator), in: "Note")
      try body.set(Retirement(SchemaPlace("Note", "title"), phase: .reported, since: 0))
      try body.set(Retirement(SchemaPlace("Note"), phase: .removing, since: 0))
      _ = try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("title"))])
      try body.remove(SchemaPlace("Note"))
      return try body.schema()
    }
    try expect(schema.recordTypes.keys.sorted(), ["Memo"])
    try expect(schema.retirements, [:])
    try expect(schema.indexes["Note"], nil)
    let again = try await store.write { (body) throws(ServerError) in
      try body.add(SchemaAddition(recordTypes: ["Note"]))
      return try body.schema()
    }
    try expect(again.recordTypes["Note"], RecordType(name: "Note"))
  }

  static func writersAreKept(_ store: any Store) async throws {
    let place = SchemaPlace("Note", "title")
    let other = SchemaPlace("Note")
    let (writes, others) = try await store.write { (body) throws(ServerError) in
      for time in 1...Int64(Limits.retiredWritersMax + 2) {
        try body.noteWrite(to: place, device: "d\(time)", user: "u", at: time)
      }
      try body.noteWrite(to: place, device: "d500", user: "u", at: 10_000)
      try body.noteWrite(to: other, device: "d", user: "u", at: 1)
      return (
        try body.retiredWrites(of: place, limit: 10_000),
        try body.retiredWrites(of: other, limit: 10)
      )
    }
    try expect(others.count, 1)
    try expect(writes.count, Limits.retiredWritersMax)
    try expect(
      writes.first,
      RetiredWrite(deviceID: "d500", userRecordName: "u", time: 10_000, count: 2))
    try expect(writes.last?.time, 3)
  }

  static func buildIsCancelled(_ store: any Store) async throws {
    let (schema, progress, builds) = try await store.write { (body) throws(ServerError) in
      try body.add(retiringSchema)
      let building = try body.addIndex(
        recordType: "Note", columns: [IndexColumn(.field("title"))])
      let ready = try body.addIndex(recordType: "Note", columns: [IndexColumn(.field("text"))])
      try body.setBuildCursor(nil, of: ready.id)
      let progress = [
        try body.indexProgress(of: building.id, limit: 10)?.done,
        try body.indexProgress(of: ready.id, limit: 10)?.done,
      ]
      try body.cancelIndexBuild(building.id)
      try body.cancelIndexBuild(ready.id)
      return (try body.schema(), progress, try body.indexBuilds(ofType: "Note"))
    }
    try expect(progress, [0, nil])
    try expect(builds, [])
    try expect(schema.indexes["Note"]?.map(\.columns), [[IndexColumn(.field("text"))]])
  }

  static func zoneIsLockedByNumber(_ store: any Store) async throws {
    for database in [DatabaseKey.public, Sample.ann] {
      let (zone, found, gone) = try await store.write { (body) throws(ServerError) in
        let zone = try body.someZone("Work", in: database)
        let found = try body.lockZone(number: zone.id)
        try body.deleteZone(zone)
        return (zone, found, try body.lockZone(number: zone.id))
      }
      try expect(found, zone)
      try expect(gone, nil)
    }
  }

  static func dataIsRemoved(_ store: any Store) async throws {
    try await store.save(["a", "b"], inZone: "Work")
    let before = try await store.write { (body) throws(ServerError) in
      try body.add(retiringSchema)
      try body.set(customRoles: ["Editor"])
      let epoch = try body.epoch(of: DatabaseView(of: Sample.ann))
      try body.removeAllData()
      return epoch
    }
    let (schema, zones, epoch) = try await store.read { (body) throws(ServerError) in
      (
        try body.schema(), try body.zones(in: Sample.ann, after: nil, limit: 10),
        try body.epoch(of: DatabaseView(of: Sample.ann))
      )
    }
    try expect(schema.recordTypes, [:])
    try expect(schema.customRoles, [])
    try expect(zones, [])
    try expect(epoch == before, false)
    try await store.save(["c"], inZone: "Work")
    let left = try await store.write { (body) throws(ServerError) in
      while let batch = try body.recordsToPurge(limit: 10) {
        try body.purge(batch, rows: DerivedRows())
      }
      return try body.recordsToIndex(ofType: "Note", after: nil, limit: 10).items.count
    }
    try expect(left, 1)
  }
}
