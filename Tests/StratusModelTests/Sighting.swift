import CloudKit

/// A rare event. The test counts the sequences that contain it, and fails if there are too few.
enum Sighting: Hashable, CaseIterable, Sendable {
  case conflict, unknownItem, invalidArguments, batchRequestFailed, zoneNotFound
  case recordGivenTwice, expiredToken, deletionTold, zoneDeletionTold, anotherPage, partialRecord
  case referenceViolation, cascade

  /// The rare event that the error code of an item belongs to, or nil.
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
