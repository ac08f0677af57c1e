import CloudKit
import CoreLocation
import Testing

@Suite struct `Queries from the framework` {
  private static let names = ["anna", "Bert", "carl", "Änne", "dora"]

  /// Saves five people in a zone. Each has values of all kinds that can be queried.
  private func people(_ cloud: Cloud) async throws -> CKDatabase {
    let database = try await cloud.zone()
    let records = Self.names.enumerated().map { index, name in
      let record = CKRecord(recordType: "Person", recordID: id(name))
      record["name"] = name
      record["age"] = 20 + index * 10
      record["height"] = 1.5 + Double(index) / 10
      record["born"] = Date(timeIntervalSince1970: Double(index) * 1_000_000)
      record["tags"] = index.isMultiple(of: 2) ? ["even", name] : ["odd", name]
      record["home"] = CLLocation(latitude: 60 + Double(index) / 100, longitude: 25)
      record["about"] = "Likes \(index.isMultiple(of: 2) ? "tea" : "coffee") and the sea"
      record["friend"] = CKRecord.Reference(recordID: id("anna"), action: .none)
      return record
    }
    let (results, _) = try await database.modifyRecords(saving: records, deleting: [])
    for result in results.values { _ = try result.get() }
    return database
  }

  private func found(
    _ predicate: NSPredicate, in database: CKDatabase, sortedBy key: String? = nil
  ) async throws -> [String] {
    let query = CKQuery(recordType: "Person", predicate: predicate)
    query.sortDescriptors = key.map { [NSSortDescriptor(key: $0, ascending: true)] }
    let page = try await database.records(matching: query, inZoneWith: zoneZ)
    return try page.matchResults.map { try $0.1.get()["name"] as? String ?? "?" }
  }

  @Test func `queries find records by many kinds of comparisons`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      let here = CLLocation(latitude: 60, longitude: 25)
      let cases: [(NSPredicate, [String])] = [
        (NSPredicate(value: true), Self.names),
        (NSPredicate(format: "name == %@", "carl"), ["carl"]),
        (NSPredicate(format: "%K != %@", "name", "carl"), ["anna", "Bert", "Änne", "dora"]),
        (NSPredicate(format: "age > %d", 40), ["Änne", "dora"]),
        (NSPredicate(format: "age >= 30 AND age <= 40"), ["Bert", "carl"]),
        (NSPredicate(format: "age BETWEEN {30, 40}"), ["Bert", "carl"]),
        (NSPredicate(format: "height < %f", 1.65), ["anna", "Bert"]),
        (
          NSPredicate(format: "born > %@", Date(timeIntervalSince1970: 2_500_000) as NSDate),
          ["Änne", "dora"]
        ),
        (NSPredicate(format: "name IN %@", ["anna", "dora", "zoe"]), ["anna", "dora"]),
        (NSPredicate(format: "NOT (name IN %@)", ["anna", "dora"]), ["Bert", "carl", "Änne"]),
        (NSPredicate(format: "name BEGINSWITH %@", "d"), ["dora"]),
        (NSPredicate(format: "tags CONTAINS %@", "even"), ["anna", "carl", "dora"]),
        (NSPredicate(format: "%@ IN tags", "odd"), ["Bert", "Änne"]),
        (NSPredicate(format: "ANY tags == %@", "carl"), ["carl"]),
        (NSPredicate(format: "self CONTAINS %@", "COFFEE"), ["Bert", "Änne"]),
        (
          NSPredicate(
            format: "distanceToLocation:fromLocation:(home, %@) < %f", here, 2_500.0),
          ["anna", "Bert", "carl"]
        ),
        (
          NSPredicate(
            format: "friend == %@", CKRecord.Reference(recordID: id("anna"), action: .none)),
          Self.names
        ),
        (
          NSPredicate(
            format: "recordID == %@", CKRecord.Reference(recordID: id("Bert"), action: .none)),
          ["Bert"]
        ),
        (NSPredicate(format: "age > 20 AND tags CONTAINS 'even'"), ["carl", "dora"]),
      ]
      for (predicate, names) in cases {
        let found = try await found(predicate, in: database)
        #expect(Set(found) == Set(names), "\(predicate)")
        #expect(found.count == names.count, "\(predicate)")
      }
    }
  }

  @Test func `queries sort by a field in both directions, and by distance`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      let all = NSPredicate(value: true)
      #expect(
        try await found(all, in: database, sortedBy: "name")
          == ["Bert", "anna", "carl", "dora", "Änne"])
      let query = CKQuery(recordType: "Person", predicate: all)
      query.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
      let older = try await database.records(matching: query, inZoneWith: zoneZ)
      #expect(older.matchResults.map(\.0.recordName) == Self.names.reversed())
      let here = CLLocation(latitude: 60.021, longitude: 25)
      query.sortDescriptors = [CKLocationSortDescriptor(key: "home", relativeLocation: here)]
      let nearest = try await database.records(matching: query, inZoneWith: zoneZ)
      #expect(
        nearest.matchResults.map(\.0.recordName) == ["carl", "Änne", "Bert", "dora", "anna"])
    }
  }

  @Test
  func `a query reads a thousand records page by page while other records change`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.zone()
      let names = (0..<1_000).map { "n" + String(1_000 + $0) }
      try await database.saveNotes(names)
      let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title >= 'n1'"))
      query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
      var (matches, cursor) = try await database.records(
        matching: query, inZoneWith: zoneZ, resultsLimit: 150)
      var pages = 1
      while let next = cursor {
        // Both new records match the query. One sorts before all pages, and the other one after
        // all pages.
        try await database.save(note("behind-\(pages)", title: "n1-behind-\(pages)"))
        try await database.save(note("new-\(pages)", title: "zz-\(pages)"))
        let page = try await database.records(continuingMatchFrom: next, resultsLimit: 150)
        #expect(page.matchResults.count <= 150)
        matches += page.matchResults
        cursor = page.queryCursor
        pages += 1
      }
      let found = matches.map(\.0.recordName)
      #expect(Array(found.prefix(1_000)) == names)
      #expect(Set(found).count == found.count)
    }
  }

  @Test func `a query finds a record that was just saved`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      let other = try await cloud.device().privateCloudDatabase
      for age in [7, 8, 9] {
        let record = try await other.record(for: id("anna"))
        record["age"] = age
        try await other.save(record)
        #expect(
          try await found(NSPredicate(format: "age == %d", age), in: database) == ["anna"])
      }
      try await other.deleteRecord(withID: id("anna"))
      #expect(try await found(NSPredicate(format: "age == 9"), in: database) == [])
    }
  }

  @Test func `a query without a zone searches all zones`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      try await database.save(CKRecordZone(zoneID: zoneY))
      let twin = CKRecord(recordType: "Person", recordID: id("anna", in: zoneY))
      twin["name"] = "anna"
      try await database.save(twin)
      let query = CKQuery(
        recordType: "Person", predicate: NSPredicate(format: "name == 'anna'"))
      let everywhere = try await database.records(matching: query)
      #expect(Set(everywhere.matchResults.map(\.0)) == [id("anna"), id("anna", in: zoneY)])
      let inY = try await database.records(matching: query, inZoneWith: zoneY)
      #expect(inY.matchResults.map(\.0) == [id("anna", in: zoneY)])
    }
  }

  @Test func `queries of the public database work without a signed-in user`() async throws {
    try await withCloud { cloud in
      let record = CKRecord(recordType: "Person")
      record["name"] = "zoe"
      try await cloud.device().publicCloudDatabase.save(record)
      let database = try await cloud.device(of: nil).publicCloudDatabase
      let query = CKQuery(recordType: "Person", predicate: NSPredicate(format: "name == 'zoe'"))
      let page = try await database.records(matching: query)
      #expect(page.matchResults.map(\.0) == [record.recordID])
    }
  }

  @Test func `the server refuses queries of users, OR queries and unknown fields`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      func ask(_ type: String, _ predicate: NSPredicate) async -> CKError? {
        await expect(.invalidArguments) {
          try await database.records(
            matching: CKQuery(recordType: type, predicate: predicate), inZoneWith: zoneZ)
        }
      }
      let users = await ask("Users", NSPredicate(value: true))
      #expect(users?.localizedDescription.contains("not marked indexable") == true)
      let either = await ask("Person", NSPredicate(format: "age == 20 OR age == 30"))
      #expect(either?.localizedDescription.contains("anyOf") == true)
      let unknown = await ask("Person", NSPredicate(format: "shoes == 43"))
      #expect(
        unknown?.localizedDescription.contains("Did not find field: 'shoes' in type: 'Person'")
          == true)
    }
  }

  @Test
  func `a query for a record type that was never saved fails with unknownItem`() async throws {
    try await withCloud { cloud in
      let database = try await cloud.device().publicCloudDatabase
      let query = CKQuery(recordType: "Party", predicate: NSPredicate(value: true))
      let error = await expect(.unknownItem) { try await database.records(matching: query) }
      #expect(error?.errorCode == 11)
      #expect(error?.localizedDescription == "Did not find record type: Party")
    }
  }

  @Test func `queries return only the desired keys`() async throws {
    try await withCloud { cloud in
      let database = try await people(cloud)
      let query = CKQuery(recordType: "Person", predicate: NSPredicate(format: "age == 20"))
      let page = try await database.records(
        matching: query, inZoneWith: zoneZ, desiredKeys: ["age"])
      #expect(try page.matchResults.first?.1.get().allKeys() == ["age"])
    }
  }
}
