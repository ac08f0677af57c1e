import CloudKit
import CoreLocation
import Testing

@Suite struct `Values that one device saves and another device fetches` {
  /// Saves a record on one device and fetches it on another.
  private func roundTrip(_ fill: (CKRecord) -> Void) async throws -> CKRecord {
    var fetched: CKRecord?
    try await withCloud { cloud in
      let record = note("a")
      fill(record)
      try await cloud.zone().save(record)
      fetched = try await cloud.zone().record(for: id("a"))
    }
    return try #require(fetched)
  }

  @Test func `strings arrive unchanged on another device`() async throws {
    let texts = ["", "plain", "Grüße 世界 👩‍👩‍👧", "\"quoted\" \\ / \n\t\u{1}\u{7f}", "\u{FEFF}\u{2028}"]
    let record = try await roundTrip { record in
      for (number, text) in texts.enumerated() { record["text\(number)"] = text }
      record["list"] = texts
    }
    for (number, text) in texts.enumerated() {
      #expect(record["text\(number)"] as? String == text)
    }
    #expect(record["list"] as? [String] == texts)
  }

  @Test func `whole numbers of every width arrive unchanged on another device`() async throws {
    let record = try await roundTrip { record in
      record["int"] = -1
      record["int8"] = Int8.min
      record["int16"] = Int16.min
      record["int32"] = Int32.min
      record["int64"] = Int64.min
      record["uint"] = UInt(7)
      record["uint8"] = UInt8.max
      record["uint16"] = UInt16.max
      record["uint32"] = UInt32.max
      record["uint64"] = UInt64(Int64.max)
      record["list"] = [Int64.min, 0, Int64.max]
    }
    #expect(record["int"] as? Int == -1)
    #expect(record["int8"] as? Int8 == .min)
    #expect(record["int16"] as? Int16 == .min)
    #expect(record["int32"] as? Int32 == .min)
    #expect(record["int64"] as? Int64 == .min)
    #expect(record["uint"] as? UInt == 7)
    #expect(record["uint8"] as? UInt8 == .max)
    #expect(record["uint16"] as? UInt16 == .max)
    #expect(record["uint32"] as? UInt32 == .max)
    #expect(record["uint64"] as? UInt64 == UInt64(Int64.max))
    #expect(record["list"] as? [Int64] == [.min, 0, .max])
  }

  @Test func `floating-point numbers arrive unchanged to the last bit`() async throws {
    let fractions = [0.1, 3, -0.0, Double.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi]
    let record = try await roundTrip { record in
      for (number, value) in fractions.enumerated() { record["double\(number)"] = value }
      record["float"] = Float(0.1)
      record["list"] = fractions
    }
    for (number, value) in fractions.enumerated() {
      #expect((record["double\(number)"] as? Double)?.bitPattern == value.bitPattern)
    }
    #expect(record["float"] as? Double == Double(Float(0.1)))
    #expect(record["list"] as? [Double] == fractions)
  }

  @Test
  func `a field keeps its floating-point type even if its first number is whole`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a")
      record["height"] = 3.0
      try await database.save(record)
      record["height"] = 2.5
      try await database.save(record)
      #expect(try await database.record(for: id("a"))["height"] as? Double == 2.5)
    }
  }

  @Test func `Booleans arrive unchanged on another device`() async throws {
    let record = try await roundTrip { record in
      record["yes"] = true
      record["no"] = false
      record["list"] = [true, false]
    }
    #expect(record["yes"] as? Bool == true)
    #expect(record["no"] as? Bool == false)
    #expect(record["list"] as? [Bool] == [true, false])
    #expect(record["yes"] as Bool? == true)
  }

  /// Apple's framework stores a date as its exact number of seconds.
  @Test func `dates arrive unchanged to the last bit`() async throws {
    let dates =
      [0, 1_700_000_000.123, -1.5, 253_402_300_799].map(Date.init(timeIntervalSince1970:))
      + [0.1 + 0.2, 700_000_000.123_456_789, -1e-9, 1e-300].map(
        Date.init(timeIntervalSinceReferenceDate:))
    let record = try await roundTrip { record in
      for (number, date) in dates.enumerated() {
        record["date\(number)"] = date
        record["place\(number)"] = CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: 0,
          horizontalAccuracy: 0, verticalAccuracy: 0, timestamp: date)
      }
      record["list"] = dates
    }
    for (number, date) in dates.enumerated() {
      #expect(record["date\(number)"] as? Date == date)
      #expect((record["place\(number)"] as? CLLocation)?.timestamp == date)
    }
    #expect(record["list"] as? [Date] == dates)
  }

  @Test
  func `a date is found by queries for the exact date and for ranges around it`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_789)
      let record = note("a")
      record["due"] = date
      try await database.save(record)
      for format in ["due == %@", "due <= %@", "due >= %@"] {
        let query = CKQuery(
          recordType: record.recordType, predicate: NSPredicate(format: format, date as NSDate))
        let found = try await database.records(matching: query, inZoneWith: record.recordID.zoneID)
        #expect(found.matchResults.count == 1)
        #expect(try found.matchResults.first?.1.get()["due"] as? Date == date)
      }
    }
  }

  @Test func `data arrives unchanged on another device`() async throws {
    let bytes = Data(0...255)
    let record = try await roundTrip { record in
      record["bytes"] = bytes
      record["none"] = Data()
      record["list"] = [bytes, Data(), Data([0])]
    }
    #expect(record["bytes"] as? Data == bytes)
    #expect(record["none"] as? Data == Data())
    #expect(record["list"] as? [Data] == [bytes, Data(), Data([0])])
  }

  @Test
  func `locations arrive with all properties except the accuracies of course and speed`()
    async throws
  {
    let place = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: -33.8568, longitude: 151.2153), altitude: 4.5,
      horizontalAccuracy: 5, verticalAccuracy: 10, course: 90, speed: 1.25,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000))
    let record = try await roundTrip { record in
      record["place"] = place
      record["list"] = [place, CLLocation(latitude: 1, longitude: 2)]
    }
    let found = try #require(record["place"] as? CLLocation)
    #expect(found.coordinate.latitude == -33.8568)
    #expect(found.coordinate.longitude == 151.2153)
    #expect(found.altitude == 4.5)
    #expect(found.horizontalAccuracy == 5)
    #expect(found.verticalAccuracy == 10)
    #expect(found.course == 90)
    #expect(found.speed == 1.25)
    #expect(found.timestamp == Date(timeIntervalSince1970: 1_700_000_000))
    let list = try #require(record["list"] as? [CLLocation])
    #expect(list.map(\.coordinate.latitude) == [-33.8568, 1])
  }

  @Test func `references and their actions arrive unchanged on another device`() async throws {
    let weak = CKRecord.Reference(recordID: id("b"), action: .none)
    let strong = CKRecord.Reference(recordID: id("c"), action: .deleteSelf)
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a")
      record["weak"] = weak
      record["strong"] = strong
      record["list"] = [weak, strong]
      let (results, _) = try await database.modifyRecords(
        saving: [note("b"), note("c"), record], deleting: [])
      for result in results.values { _ = try result.get() }
      let found = try await cloud.zone().record(for: id("a"))
      #expect(found["weak"] as? CKRecord.Reference == weak)
      #expect((found["weak"] as? CKRecord.Reference)?.action == CKRecord.ReferenceAction.none)
      #expect(found["strong"] as? CKRecord.Reference == strong)
      #expect((found["strong"] as? CKRecord.Reference)?.action == .deleteSelf)
      #expect((found["strong"] as? CKRecord.Reference)?.recordID.zoneID == zoneZ)
      #expect(found["list"] as? [CKRecord.Reference] == [weak, strong])
    }
  }

  @Test func `a value that is set to nil is removed from the record`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a", title: "x")
      record["other"] = 1
      try await database.save(record)
      record["title"] = nil
      try await database.save(record)
      let found = try await cloud.zone().record(for: id("a"))
      #expect(found.allKeys() == ["other"])
    }
  }

  @Test func `an empty list empties the stored list`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let record = note("a")
      record["tags"] = ["x"]
      try await database.save(record)
      record["tags"] = [String]()
      try await database.save(record)
      let found = try await cloud.zone().record(for: id("a"))
      #expect(found["tags"] as? [String] == [])
    }
  }

  @Test func `a value that does not match the type of its field is refused`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      try await database.save(note("a", title: "text"))
      let other = note("b")
      other["title"] = 5
      await expect(.invalidArguments) { try await database.save(other) }
    }
  }

  @Test(arguments: [Double.nan, .infinity]) func `a number that is not finite is refused`(
    _ value: Double
  ) async throws {
    try await withCloud { cloud in
      let record = note("a")
      record["x"] = value
      let database = try await cloud.zone()
      await expect(.invalidArguments) { try await database.save(record) }
    }
  }

  @Test func `a value in a field with a reserved name is refused`() async throws {
    try await withCloud { cloud in
      let record = note("a")
      record["_x"] = 1
      let database = try await cloud.zone()
      await expect(.invalidArguments) { try await database.save(record) }
    }
  }
}
