import CloudKit
import CoreLocation

/// The parties of all users, in the public database.
struct Guide {
  /// The maximum distance in metres that a guest walks to a party.
  static let walk = 5_000.0

  let database = CKContainer.default().publicCloudDatabase

  /// Announces a party.
  func add(_ party: Party) async throws { try await database.save(party.record) }

  /// Returns all parties, sorted by name.
  func all() async throws -> [Party] {
    let query = CKQuery(recordType: Party.recordType, predicate: NSPredicate(value: true))
    query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try await parties(query)
  }

  /// Returns the parties within walking distance, nearest first.
  func near(_ here: CLLocation) async throws -> [Party] {
    let predicate = NSPredicate(
      format: "distanceToLocation:fromLocation:(location, %@) < %f", here, Self.walk)
    let query = CKQuery(recordType: Party.recordType, predicate: predicate)
    query.sortDescriptors = [CKLocationSortDescriptor(key: "location", relativeLocation: here)]
    return try await parties(query)
  }

  /// Returns the parties whose texts contain all of these words, sorted by name.
  func search(_ words: String) async throws -> [Party] {
    let query = CKQuery(
      recordType: Party.recordType, predicate: NSPredicate(format: "self CONTAINS %@", words))
    query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    return try await parties(query)
  }

  /// Returns the party with this name, including its photo.
  func party(named name: String) async throws -> Party {
    let query = CKQuery(
      recordType: Party.recordType, predicate: NSPredicate(format: "name == %@", name))
    let page = try await database.records(matching: query, resultsLimit: 1)
    guard let record = try page.matchResults.first?.1.get() else {
      throw UsageError("There is no party called '\(name)'. 'list' shows all.")
    }
    return Party(record: record)
  }

  /// Cancels a party.
  func remove(_ party: Party) async throws {
    try await database.deleteRecord(withID: party.record.recordID)
  }

  private func parties(_ query: CKQuery) async throws -> [Party] {
    var matches: [(CKRecord.ID, Result<CKRecord, any Error>)]
    var cursor: CKQueryOperation.Cursor?
    do {
      (matches, cursor) = try await database.records(
        matching: query, desiredKeys: Party.listKeys)
    } catch let error as CKError where error.code == .unknownItem {
      // The record type does not exist before the first party is saved. In that case, there are no
      // parties.
      return []
    }
    while let next = cursor {
      let page = try await database.records(
        continuingMatchFrom: next, desiredKeys: Party.listKeys)
      matches += page.matchResults
      cursor = page.queryCursor
    }
    return try matches.map { Party(record: try $0.1.get()) }
  }
}
