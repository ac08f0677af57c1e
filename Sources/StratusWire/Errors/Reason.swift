/// The fixed sentences that tell errors with the same code apart.
///
/// Clients match on them, so they do not change. Where Apple's own text is known it is used;
/// the others are `Choice:`.
public enum Reason {
  public static let accessDenied = "Access denied"
  public static let atomicError = "another operation in the atomic batch failed"
  public static let authenticationFailed = "Authentication failed"
  public static let authenticationRequired = "request needs authorization"
  public static let batchTooLarge = "too many operations in one request"
  public static let changesInDefaultZone = "cannot get changes in default zone"
  public static let conflict = "client oplock error updating record"
  public static let containerNameIllegal =
    "a container ID starts with 'iCloud.' and holds letters, digits, '.', '-' and '_'"
  public static let containerNotFound = "container not found"
  public static let customZoneInPublic = "custom zones are not supported in the public database"
  public static let defaultZoneIsFixed = "the default zone cannot be deleted"
  public static let duplicateRecord = "a record appears twice in one request"
  public static let endpointInPublic = "endpoint not applicable in the database type 'publicdb'"
  public static let endpointInPrivate = "endpoint not applicable in the database type 'privatedb'"
  public static let endpointInShared = "endpoint not applicable in the database type 'shareddb'"
  public static let endpointUnknown = "could not find handler for endpoint"
  public static let internalError = "internal server error"
  public static let indexIsBeingBuilt = "the index is being built"
  public static let markerInvalid = "invalid continuation marker"
  public static let methodNotAllowed = "method not allowed"
  public static let queriedTypeIsFixed = "Queried type is not marked indexable"
  public static let recordExists = "record to insert already exists"
  public static let recordNotFound = "Record not found"
  public static let recordTooLarge = "record is larger than the limit"
  public static let requestTooLarge = "request body is larger than the limit"
  public static let storeBusy = "the store is busy"
  public static let syncTokenExpired = "sync token expired"
  public static let syncTokenInvalid = "invalid sync token"
  public static let userRecordsAreFixed = "user records cannot be created or deleted"
  public static let zoneNotFound = "Zone not found"
}
