import StratusTesting
import StratusWire
import Testing

@testable import StratusDomain

/// Compares the counted bytes with the bytes of all records, after random changes.
@Suite struct `Counted bytes` {
  private static let address = StoreAddress(
    container: "iCloud.org.example.Notes", environment: .development)

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `after random changes, the counted bytes equal the bytes of all records`(seed: UInt64)
    async throws
  {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      var random = Steps(seed: seed)
      for zone in ["A", "B"] { try await anna.makeZone(zone) }
      let file = try await anna.upload(Array(repeating: 1, count: 77))
      for step in 0..<120 {
        let zone = ["A", "B"][random.next(2)]
        let name = "r\(random.next(6))"
        let type = ["Note", "List"][random.next(2)]
        switch random.next(10) {
        case 0...5:
          var fields: JSON = [
            "text": ["value": .string(String(repeating: "é", count: random.next(50)))]
          ]
          if random.next(3) == 0 { fields = fields.with("photo", ["value": file]) }
          if random.next(3) == 0 {
            fields = fields.with(
              "to", ["value": ["recordName": "r\(random.next(6))", "action": "DELETE_SELF"]])
          }
          _ = try await anna.save(name, in: zone, fields: fields, type: type, "forceReplace")
        case 6...8:
          _ = try await anna.modify(
            [["operationType": "forceDelete", "record": ["recordName": "\(name)"]]], in: zone,
            atomic: false)
        default:
          try await anna.deleteZone(zone)
          try await anna.makeZone(zone)
        }
        if step.isMultiple(of: 10) { try await server.continueCascades() }
        try await check(server, "seed \(seed), step \(step)")
      }
    }
  }

  private func check(_ server: TestServer, _ place: String) async throws {
    let (counted, found) = try await server.store(at: Self.address).read {
      (store) throws(ServerError) in
      let user = try store.largestUsers(limit: 1).first?.user ?? ""
      let database = DatabaseKey.private(owner: user)
      var types: [String: Usage] = [:]
      for zone in try store.zones(in: database, after: nil, limit: 9) {
        let records = try store.recordChanges(
          in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false,
          limit: 1_000, sizeBytesMax: .max)
        for record in records where !record.isDeleted && record.type != UserRecords.recordType {
          types[record.type, default: Usage()] += try Usage(of: record)
        }
      }
      let counted = try store.usage(of: database).map { ($0.recordType, $0.usage) }
        .filter { $0.0 != UserRecords.recordType }
      return (Dictionary(uniqueKeysWithValues: counted), types)
    }
    #expect(counted == found, "\(place)")
  }
}

/// Random numbers that are derived from a seed.
private struct Steps {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// Returns a number from 0 to `count - 1` (SplitMix64).
  mutating func next(_ count: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ value >> 31) % UInt64(count))
  }
}
