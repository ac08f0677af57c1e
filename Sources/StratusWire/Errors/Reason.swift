/// The fixed sentences that distinguish errors with the same code.
///
/// Clients match these sentences, so they never change. If the sentence of Apple's service is
/// known, it is used unchanged. The other sentences are our choice.
public enum Reason {
  public static let accessDenied = "Access denied"
  public static let accountDisabled = "the account is disabled"
  /// `ACCESS_DENIED`: the account's data may only be stored.
  public static let accountRestricted = "the account is restricted; its data is only stored"
  public static let ancestorShared = "a record above this one is already shared"
  public static let answerTooLarge =
    "the answer would be larger than the limit; ask for fewer records at once"
  public static let apiTokenUnknown =
    "the API token does not belong to this container and environment"
  public static let assetChanged = "the asset is another one"
  public static let assetNotFound = "the asset is not there"
  public static let assetPieceAtWrongOffset =
    "the piece does not begin where the bytes that came end"
  public static let assetPieceWrong = "the body is not the piece that Content-Range says"
  public static let assetTooLarge = "the asset is larger than the limit"
  public static let assetURLExpired = "the asset URL is past its time"
  public static let assetURLUnknown = "the asset URL is not valid"
  public static let assetsUnheld =
    "too many bytes are uploaded that no record holds; save their records, or wait until they are "
    + "removed"
  public static let assetStoreBusy = "too many uploads wait for the asset store"
  public static let assetStoreLost = "the asset store is not available"
  public static let assetUploadLost = "the upload goes on over another connection"
  public static let atomicError = "another operation in the atomic batch failed"
  public static let authenticationFailed = "Authentication failed"
  public static let authenticationRequired = "request needs authorization"
  public static let batchTooLarge = "too many operations in one request"
  public static let batchTooMuchWork =
    "the records of the request take too much work for one transaction; send fewer at once"
  public static let batchTooManyBytes =
    "the records of the request are too large together; send fewer at once"
  public static let changesInDefaultZone = "cannot get changes in default zone"
  public static let clientIDMissing = "a device must name itself by clientId"
  public static let conflict = "client oplock error updating record"
  public static let containerNameIllegal =
    "a container ID starts with 'iCloud.' and holds letters, digits, '.', '-' and '_'"
  public static let containerNotFound = "container not found"
  public static let customZoneInPublic = "custom zones are not supported in the public database"
  public static let defaultZoneIsFixed = "the default zone cannot be deleted"
  public static let descendantShared = "a record below this one is already shared"
  public static let duplicateRecord = "a record appears twice in one request"
  public static let encryptedInPublic =
    "encrypted fields are not supported in the public database"
  public static let encryptionScopeFixed = "the encryption scope of a zone cannot be changed"
  public static let endpointInPublic = "endpoint not applicable in the database type 'publicdb'"
  public static let endpointInPrivate = "endpoint not applicable in the database type 'privatedb'"
  public static let endpointInShared = "endpoint not applicable in the database type 'shareddb'"
  public static let endpointUnknown = "could not find handler for endpoint"
  public static let formUnreadable = "the request is not a form that can be read"
  public static let hierarchyTooDeep =
    "the record has too many parents above it in a zone with shares; move it up"
  public static let hierarchyUnsettled =
    "records are still leaving the share; try again"
  public static let hostTooLong = "the host of the request is longer than a host name can be"
  public static let internalError = "internal server error"
  public static let indexBuildCancelled =
    "the operator has cancelled the index that the query waits for"
  public static let indexIsBeingBuilt = "the index is being built (index-building)"
  public static let leaveAlone =
    "a request that leaves a share cannot save records; send them in another request"
  public static let listeningNeedsConnection = "notifications are listened for over a connection"
  public static let markerInvalid = "invalid continuation marker"
  public static let methodNotAllowed = "method not allowed"
  public static let outcomeUnknown =
    "it is not known whether the write was stored; fetch the records before you repeat it"
  public static let ownerQuotaExceeded =
    "the storage quota of the owner of the zone is exceeded"
  public static let passwordNeeded = "the password is needed again"
  public static let passwordsBusy = "too many sign-ins wait; try again"
  public static let queryNeedsIndex =
    "the query needs an index that is not there; it is made by the first such query of a user who "
    + "is signed in"
  public static let queryValuesTooMany = "a filter has too many values or words"
  public static let queriedTypeIsFixed = "Queried type is not marked indexable"
  public static let ownerIsFixed = "the owner of a share cannot be invited, changed or removed"
  public static let originNotAllowed = "the API token does not allow this origin"
  public static let keysNotShared =
    "the owner has not created a key for the participants of this share yet"
  public static let participantMayNeedVerification =
    "the share invites an address that has not accepted; if it is yours, open the URL to confirm it"
  public static let participantAlreadyInvited =
    "the user is invited already; accept the share instead"
  public static let participantBlocked =
    "a blocked user cannot be invited; unblock the user in the same request"
  public static let participantUnknown =
    "a participant is named by userRecordName or emailAddress in its lookupInfo"
  public static let participantsArePublic =
    "participants can be invited only while publicPermission is NONE"
  public static let parentOfItself = "a record cannot be its own parent"
  public static let parentMissing = "the record's parent does not exist"
  public static let recordAlreadyShared = "the record is already shared"
  public static let recordExists = "record to insert already exists"
  public static let recordNotFound = "Record not found"
  public static let recordHasChildren = "the record is the parent of others"
  /// The name of the record type is appended to this sentence.
  public static let recordTypeNotFound = "Did not find record type: "
  public static let recordTooLarge = "record is larger than the limit"
  public static let recordTooManyEntries =
    "the record has more list values and words than the limit"
  public static let referenceTargetMissing =
    "a reference leads to a record that does not exist"
  public static let recordsAlreadyShared =
    "records of the zone are already shared, so the zone itself cannot be"
  public static let requestNotHTTP = "the request is not valid HTTP"
  public static let requestHeadTooLarge = "the request head is larger than the limit"
  public static let requestHost = "an HTTP/1.1 request must have exactly one valid Host field"
  public static let requestTimeout = "the request did not arrive in time"
  public static let requestVersion = "the server speaks HTTP/1.1 and HTTP/1.0"
  public static let requestTooLarge = "request body is larger than the limit"
  public static let rolesAreFixed = "a user cannot write the roles of a user record"
  public static let liveStreamsThrottled = "too many pages of the console are open"
  public static let serverKeyInPublicOnly =
    "a server-to-server key works in the public database only"
  public static let serverKeyIsNoAccount =
    "a server-to-server key is no account; sign in to ask about users"
  public static let serverKeyRevoked = "the server-to-server key is revoked"
  public static let sessionEnded = "the session has ended; sign in again"
  public static let signatureDateWrong =
    "the date of the signed request is too far from the server's time; set the clock and sign again"
  /// `TRY_AGAIN_LATER`: another device may have moved the record, or a record above it.
  public static let sealedElsewhere =
    "a value is sealed with the key of a shared hierarchy in which its record is not"
  public static let secondFactorRefused =
    "the code of the second factor is missing or wrong; type the code that your app shows now"
  public static let signInRefused = "the e-mail or the password is wrong"
  public static let signInThrottled = "there were too many attempts to sign in"
  public static let shareNeedsCustomZone =
    "records and zones can be shared only in custom zones of the private database"
  public static let shareNeedsRoot =
    "a new share names its root by forRecord; the share of a zone is named cloudkit.zoneshare"
  public static let shareNotFound = "Share not found"
  public static let shareRootMissing = "Cannot share - no such record exists to share"
  public static let storeFull = "the server has no room left; reads go on"
  public static let storeLost = "the store is not available"
  public static let storeBusy = "the store is busy (waiting-per-store)"
  public static let subscriptionNeverFires =
    "firesOn must name create, update or delete"
  public static let subscriptionNotFound = "Subscription not found"
  public static let subscriptionToDefaultZone =
    "zone subscriptions are not supported in the default zone"
  public static let syncTokenExpired = "sync token expired"
  public static let syncTokenInvalid = "invalid sync token"
  public static let tooManyJoinedShares =
    "the user takes part in too many shares of this zone, or in too many zones; leave some first"
  public static let tooManyAccessRequests =
    "too many users have asked for access to this share; the owner must answer them first"
  public static let tooManyBlocked = "the share has too many blocked users"
  public static let tooManyParticipants = "the share has too many participants"
  public static let tooManyShares = "the user has too many shares; end some of them first"
  public static let tokenUnknown = "the token is not known, or no longer"
  public static let tooManyConnections =
    "too many connections (connections-per-address)"
  public static let userKeyChanged = "the user's public key is another one"
  public static let userNotFound = "no user with this address or name has agreed to be found"
  public static let userRecordsAreFixed = "user records cannot be created or deleted"
  public static let zoneAlreadyShared =
    "the zone itself is shared, so its records cannot be shared one by one"
  public static let zoneBusy = "too many writers wait for the zone (writers-per-zone)"
  public static let zoneKeyUnknown = "a value is sealed with a key that its zone does not have"
  public static let zoneNotFound = "Zone not found"
}
