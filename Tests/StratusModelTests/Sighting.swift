import CloudKit

/// Something rare that sequences must come across, or they test less than they seem to.
enum Sighting: Hashable, CaseIterable, Sendable {
  case conflict, unknownItem, invalidArguments, batchRequestFailed, zoneNotFound
  case recordGivenTwice, expiredToken, deletionTold, zoneDeletionTold, anotherPage, partialRecord
  case referenceViolation, cascade

  /// What an item's failure is a sighting of.
  init?(_ code: CKError.Code) {
    let sightings: [CKError.Code: Sighting] = [
      .serverRecordChanged: .conflict, .unknownItem: .unknownItem,
      .invalidArguments: .invalidArguments, .batchRequestFailed: .batchRequestFailed,
      .zoneNotFound: .zoneNotFound, .referenceViolation: .referenceViolation,
    ]
    guard let sighting = sightings[code] else { return nil }
    self = sighting
  }
}
