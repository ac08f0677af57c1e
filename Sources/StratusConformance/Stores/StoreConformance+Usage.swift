import StratusDomain
import StratusWire

/// The checks of counted bytes and quotas.
extension StoreConformance {
  static let usageChecks: [Check] = [
    Check("usage is added up for each database and record type", usageIsCounted),
    Check("the records of a deleted zone do not count any more", deletedZonesDoNotCount),
    Check("the users with the most bytes are listed first", largestUsersComeFirst),
    Check("the quotas of a container and of single users are stored", quotasAreKept),
  ]

  private static func count(
    _ changes: [String: Usage], in zone: String = "Notes", of database: DatabaseKey = Sample.ann,
    _ store: any Store
  ) async throws {
    try await store.write { (body) throws(ServerError) in
      let zone = try body.someZone(zone, in: database)
      var rows = RowChanges()
      rows.usage = changes
      let record = Sample.record("carrier", change: zone.change + 1)
      try body.apply(ChangeSet(zone: zone, records: [record], rows: rows))
    }
  }

  static func usageIsCounted(_ store: any Store) async throws {
    let first = Usage(records: 2, recordBytes: 1 << 40, assetBytes: 5)
    try await count(["Note": first, "List": Usage(records: 1, recordBytes: 3)], store)
    try await count(
      ["Note": Usage(records: -1, recordBytes: -4, assetBytes: 1), "List": Usage()], in: "Work",
      store)
    try await count(["Note": Usage(records: 9, recordBytes: 9)], of: .public, store)
    let (types, bytes, others) = try await store.read { (body) throws(ServerError) in
      (
        try body.usage(of: Sample.ann), try body.usedBytes(of: Sample.ann),
        try body.usedBytes(of: .private(owner: "_nobody"))
      )
    }
    try expect(
      types,
      [
        TypeUsage(recordType: "List", usage: Usage(records: 1, recordBytes: 3)),
        TypeUsage(
          recordType: "Note",
          usage: Usage(records: 1, recordBytes: (1 << 40) - 4, assetBytes: 6)),
      ])
    try expect(bytes, (1 << 40) - 4 + 6 + 3)
    try expect(others, 0)
  }

  static func deletedZonesDoNotCount(_ store: any Store) async throws {
    for zone in ["Notes", "Work"] {
      try await count(["Note": Usage(records: 1, recordBytes: 10)], in: zone, store)
    }
    let bytes = try await store.write { (body) throws(ServerError) in
      try body.deleteZone(try body.someZone("Work", in: Sample.ann), reason: .deleted, at: 1)
      return try body.usedBytes(of: Sample.ann)
    }
    try expect(bytes, 10)
  }

  static func largestUsersComeFirst(_ store: any Store) async throws {
    for (user, bytes) in [("_a", 5), ("_b", 7), ("_c", 5), ("_d", 0)] as [(String, Int64)] {
      try await count(
        ["Note": Usage(records: 1, recordBytes: bytes)], of: .private(owner: user), store)
    }
    try await count(["Note": Usage(records: 1, recordBytes: 99)], of: .public, store)
    let users = try await store.read { (body) throws(ServerError) in
      try body.largestUsers(limit: 2).map { "\($0.user) \($0.bytes)" }
    }
    try expect(users, ["_b 7", "_a 5"])
  }

  static func quotasAreKept(_ store: any Store) async throws {
    let quotas: [StorageQuota?] = [.bytes(1 << 40), .unlimited, .bytes(0), nil]
    for quota in quotas {
      let (own, settings) = try await store.write { (body) throws(ServerError) in
        try body.set(quota, ofUser: "_ann")
        return (try body.quota(ofUser: "_ann"), try body.schema().settings)
      }
      try expect(own, quota)
      try expect(settings.hasUserQuotas, quota != nil)
    }
    for bytes in [7, nil] as [Int64?] {
      let settings = try await store.write { (body) throws(ServerError) in
        try body.set(
          ContainerSettings(
            allowsQueryExtensions: true, publicQuotaBytes: bytes, userQuotaBytes: 9))
        return try body.schema().settings
      }
      try expect(settings.publicQuotaBytes, bytes)
      try expect(settings.userQuotaBytes, 9)
      try expect(settings.allowsQueryExtensions, true)
    }
  }
}
