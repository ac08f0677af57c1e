import StratusDomain
import StratusWire

extension StoreConformance {
  static let lackChecks: [Check] = [
    Check("refusals in production are counted by schema part and app", lacksAreAdded),
    Check(
      "above a limit, new counters replace the counters with the fewest refusals",
      lacksAreBounded),
    Check("the counts of a schema part can be removed", lacksAreRemoved),
  ]

  private static let lackedField = ProductionLack(recordType: "Note", kind: .field, name: "title")
  private static let lackedType = ProductionLack(recordType: "Note", kind: .recordType)
  private static let lackedIndex = ProductionLack(
    recordType: "Note", kind: .index, name: "title SORTABLE")

  private static func lacks(
    _ lack: ProductionLack, _ app: String, _ count: Int64, _ time: Int64
  ) -> LackCount {
    LackCount(lack: lack, app: app, count: count, firstAt: time, lastAt: time)
  }

  /// The schema part that was needed most often comes first.
  static func lacksAreAdded(_ store: any Store) async throws {
    try await store.write { (body) throws(ServerError) in
      try body.add([lacks(lackedField, "Notes/1", 2, 10), lacks(lackedType, "", 3, 11)])
      try body.add([lacks(lackedField, "Notes/2", 1, 12), lacks(lackedField, "Notes/1", 5, 13)])
      try body.add([lacks(lackedIndex, "Notes/1", 1, 14)])
    }
    let counts = try await store.read { (body) throws(ServerError) in try body.lackCounts() }
    try expect(
      counts,
      [
        LackCount(lack: lackedField, app: "Notes/1", count: 7, firstAt: 10, lastAt: 13),
        lacks(lackedType, "", 3, 11), lacks(lackedIndex, "Notes/1", 1, 14),
        lacks(lackedField, "Notes/2", 1, 12),
      ])
  }

  /// The store must limit the number of counters, because callers can invent names of record types
  /// and fields.
  static func lacksAreBounded(_ store: any Store) async throws {
    let max = Limits.lacksPerStoreMax
    try await store.write { (body) throws(ServerError) in
      try body.add([lacks(lackedField, "Notes/1", 2, 1)])
      for start in 0..<3 {
        try body.add(
          (0..<max).map { number in
            lacks(
              ProductionLack(recordType: "Type\(start)", kind: .field, name: "f\(number)"), "", 1,
              Int64(10 + start))
          })
      }
    }
    let counts = try await store.read { (body) throws(ServerError) in try body.lackCounts() }
    try expect(counts.count, max)
    try expect(counts.first?.lack, lackedField)
    try expect(Set(counts.dropFirst().map(\.lack.recordType)), ["Type2"])
  }

  static func lacksAreRemoved(_ store: any Store) async throws {
    let counts = try await store.write { (body) throws(ServerError) in
      try body.add([
        lacks(lackedField, "Notes/1", 2, 10), lacks(lackedField, "Notes/2", 1, 10),
        lacks(lackedIndex, "", 1, 10),
      ])
      try body.remove([lackedField, lackedType])
      return try body.lackCounts()
    }
    try expect(counts.map(\.lack), [lackedIndex])
  }
}
