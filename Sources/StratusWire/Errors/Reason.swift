/// The fixed sentences that tell errors with the same code apart.
///
/// Clients match on them, so they do not change. Where Apple's own text is known it is used;
/// the others are `Choice:`.
public enum Reason {
  public static let accessDenied = "Access denied"
  public static let assetChanged = "the asset is another one"
  public static let assetNotFound = "the asset is not there"
  public static let assetPieceOutOfPlace = "the piece does not begin where the bytes that came end"
  public static let assetPieceWrong = "the body is not the piece that Content-Range says"
  public static let assetTooLarge = "the asset is larger than the limit"
  public static let assetURLExpired = "the asset URL is past its time"
  public static let assetURLUnknown = "the asset URL is not valid"
  public static let assetUploadLost = "the upload goes on over another connection"
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
  public static let encryptedInPublic =
    "encrypted fields are not supported in the public database"
  public static let encryptionScopeFixed = "the encryption scope of a zone cannot be changed"
  public static let endpointInPublic = "endpoint not applicable in the database type 'publicdb'"
  public static let endpointInPrivate = "endpoint not applicable in the database type 'privatedb'"
  public static let endpointInShared = "endpoint not applicable in the database type 'shareddb'"
  public static let endpointUnknown = "could not find handler for endpoint"
  public static let internalError = "internal server error"
  public static let indexIsBeingBuilt = "the index is being built"
  public static let markerInvalid = "invalid continuation marker"
  public static let methodNotAllowed = "method not allowed"
  public static let queriedTypeIsFixed = "Queried type is not marked indexable"
  public static let parentOfItself = "a record cannot be its own parent"
  public static let parentMissing = "the record's parent does not exist"
  public static let recordExists = "record to insert already exists"
  public static let recordNotFound = "Record not found"
  public static let recordHasChildren = "the record is the parent of others"
  /// The record type follows.
  public static let recordTypeNotFound = "Did not find record type: "
  public static let recordTooLarge = "record is larger than the limit"
  public static let referenceTargetMissing =
    "a reference leads to a record that does not exist"
  public static let requestTooLarge = "request body is larger than the limit"
  public static let storeBusy = "the store is busy"
  public static let subscriptionNeverFires =
    "firesOn must name create, update or delete"
  public static let subscriptionNotFound = "Subscription not found"
  public static let subscriptionToDefaultZone =
    "zone subscriptions are not supported in the default zone"
  public static let syncTokenExpired = "sync token expired"
  public static let syncTokenInvalid = "invalid sync token"
  public static let userKeyChanged = "the user's public key is another one"
  public static let userRecordsAreFixed = "user records cannot be created or deleted"
  public static let zoneKeyUnknown = "a value is sealed with a key that its zone does not have"
  public static let zoneNotFound = "Zone not found"
}
