/// The shapes of all requests and answers of the clients' endpoints.
///
/// The tests compare these texts with the server's answers, with the framework's requests, and with
/// the list of the server's handlers. A missing endpoint or member therefore makes a test fail.
enum WireShapes {
  /// An endpoint with the shapes of its request and its answer.
  struct Row: Sendable {
    var path: String
    var summary: String
    var request: Shape
    var answer: Shape

    init<E: Endpoint>(_ endpoint: E.Type, _ summary: String, _ request: String, _ answer: String) {
      path = E.path
      self.summary = summary
      self.request = Shape(request)
      self.answer = Shape(answer)
    }
  }

  static let rows: [Row] = [
    Row(
      ModifyRecords.self, "Saves and deletes records.",
      """
      {zoneID?: ZoneID, operations: [RecordOperation], atomic?: bool, clientChangeToken?: string,
       desiredKeys?: [string], numbersAsStrings?: bool}
      """, "{records: [RecordResult], syncToken?: string}"),
    Row(
      LookupRecords.self, "Returns records by name.",
      """
      {zoneID?: ZoneID, records: [RecordName], desiredKeys?: [string], numbersAsStrings?: bool}
      """, "{records: [RecordResult], syncToken?: string}"),
    Row(
      QueryRecords.self, "Returns the records that match a query, page by page.",
      """
      {query: Query, zoneID?: ZoneID, zoneWide?: bool, resultsLimit?: Count,
       continuationMarker?: string, countOnly?: bool, explain?: bool, desiredKeys?: [string],
       numbersAsStrings?: bool}
      """,
      """
      {records: [RecordResult], continuationMarker?: string, syncToken?: string, count?: int,
       explanation?: QueryExplanation}
      """),
    Row(
      FetchRecordChanges.self, "Returns the record changes of one zone.",
      """
      {zoneID: ZoneID, syncToken?: string, resultsLimit?: Count, desiredKeys?: [string],
       desiredRecordTypes?: [string], reverse?: bool, deletedRecordTypes?: bool,
       remainingCount?: bool, numbersAsStrings?: bool}
      """, "{records: [RecordResult], syncToken: string, moreComing: bool}"),
    Row(
      FetchZoneChanges.self, "Returns the record changes of several zones.",
      """
      {zones: [ZoneChangesRequest], syncToken?: string, resultsLimit?: Count,
       desiredKeys?: [string], desiredRecordTypes?: [string], reverse?: bool,
       deletedRecordTypes?: bool, remainingCount?: bool, numbersAsStrings?: bool}
      """, "{zones: [ZoneChanges | ZoneFailure]}"),
    Row(
      FetchDatabaseChanges.self, "Returns the zones with changes.",
      "{syncToken?: string, resultsLimit?: Count, incarnations?: bool}",
      "{zones: [Zone | ZoneFailure], syncToken: string, moreComing: bool}"),
    Row(
      FetchZones.self, "Returns the changed zones, in an older form of changes/database.",
      "{metaSyncToken?: string, resultsLimit?: Count}",
      "{zones: [Zone | ZoneFailure], metaSyncToken: string, moreComing: bool}"),
    Row(
      ListZones.self, "Lists all zones.", "{}", "{zones: [Zone | ZoneFailure]}"),
    Row(
      LookupZones.self, "Returns zones by name.", "{zones: [ZoneID]}",
      "{zones: [Zone | ZoneFailure]}"),
    Row(
      ModifyZones.self, "Creates and deletes zones.",
      "{operations: [ZoneOperation], incarnations?: bool}", "{zones: [Zone | ZoneFailure]}"),
    Row(
      ListSubscriptions.self, "Lists all subscriptions.", "{}",
      "{subscriptions: [SubscriptionResult]}"),
    Row(
      LookupSubscriptions.self, "Returns subscriptions by ID.",
      "{subscriptions: [SubscriptionID]}", "{subscriptions: [SubscriptionResult]}"),
    Row(
      ModifySubscriptions.self, "Creates and deletes subscriptions.",
      "{operations: [SubscriptionOperation]}", "{subscriptions: [SubscriptionResult]}"),
    Row(
      UploadAssets.self, "Returns URLs for the upload of files.",
      "{zoneID?: ZoneID, tokens: [AssetField]}", "{tokens: [UploadTarget]}"),
    Row(
      RereferenceAssets.self, "Returns receipts for files that records hold already.",
      "{zoneID?: ZoneID, assets: [AssetField]}", "{assets: [any]}"),
    Row(
      ResolveShares.self, "Returns the shares of short GUIDs.", "{shortGUIDs: [ShortGUID]}",
      "{results: [any]}"),
    Row(
      AcceptShares.self, "Accepts the shares of short GUIDs.", "{shortGUIDs: [ShortGUID]}",
      "{results: [any]}"),
    Row(
      RequestShareAccess.self, "Asks the owners of shares for access.",
      "{shortGUIDs: [ShortGUID]}", "{results: [any]}"),
    Row(
      FetchCaller.self, "Returns the calling user.", "{}",
      """
      {userRecordName: string, nameComponents?: PersonName, lookupInfo: LookupInfo,
       discoverability: string, users: [UserIdentity]}
      """),
    Row(
      FetchCurrentUser.self, "Returns the calling user, in an older form.", "{}", "User"),
    Row(
      IssueWebToken.self, "Returns a web auth token for a web page.", "{apiToken: string}",
      "{webAuthToken: string}"),
    Row(
      DiscoverUsers.self, "Finds users who have agreed to be found.",
      "{lookupInfos?: [LookupInfo]}", "{users: [UserIdentity]}"),
    Row(
      LookupUsersByEmail.self, "Finds users by e-mail address, in an older form.",
      "{users: [LookupInfo]}", "{users: [User | UserFailure]}"),
    Row(
      LookupUsersByName.self, "Finds users by record name, in an older form.",
      "{users: [LookupInfo]}", "{users: [User | UserFailure]}"),
    Row(
      LookupContacts.self, "Finds the users among the caller's contacts, of which there are none.",
      "{}", "{users: [User | UserFailure]}"),
    Row(
      CreateToken.self, "Creates a token for notifications.",
      "{apnsEnvironment: Environment, clientId?: string}", "Token"),
    Row(
      RegisterToken.self, "Registers a token for notifications.",
      "{apnsEnvironment: Environment, apnsToken: string, clientId?: string}", "Token"),
    Row(
      FetchNotifications.self, "Returns the notifications of the user.",
      "{serverChangeToken?: string, resultsLimit?: Count}",
      """
      {notifications: [any], readIDs: [string], serverChangeToken: string, moreComing: bool}
      """),
    Row(
      MarkNotificationsRead.self, "Marks notifications as read.", "{notificationIDs: [string]}",
      "{notificationIDs: [string]}"),
    Row(
      AcknowledgeNotifications.self, "Confirms received notifications.", "{through: int}", "{}"),
    Row(SetBadge.self, "Sets the badge of the app.", "{badge: int}", "{}"),
    Row(
      FetchKeys.self, "Returns the keys of encrypted values.",
      "{zones: [ZoneID], rootRecordName?: string, recordNames?: [string]}",
      "{userRecordName: string, publicKey?: string, zones: [ZoneKeys]}"),
    Row(
      RegisterUserKey.self, "Registers the public key of the user.", "{publicKey: string}",
      "{publicKey: string}"),
    Row(
      WrapZoneKey.self, "Stores a zone's key for participants.",
      "{zoneID: ZoneID, key: WrappedKey, others?: [WrappedKey]}", "ZoneKeys"),
    Row(
      ResetKeys.self, "Replaces the public key, and deletes the zones with encrypted values.",
      "{publicKey: string, replacedKey?: string}",
      "{zones: [ZoneID], moreComing: bool}"),
  ]

  /// The schemas that the rows name, in the order of their names.
  static let schemas: [(name: String, shape: Shape)] = [
    ("AssetField", "{recordName?: string, recordType?: string, fieldName: string}"),
    ("Count", "int | string"),
    ("Environment", "'development' | 'production'"),
    (
      "Error",
      """
      {uuid?: string, serverErrorCode: string, reason: string, retryAfter?: int,
       redirectURL?: string, userDidResetEncryptedData?: bool, ckErrorCode?: int,
       webpageURL?: string, potentialMatchList?: [any]}
      """
    ),
    (
      "FieldFilter",
      """
      {comparator: string, fieldName?: string, systemFieldName?: string, fieldValue: any,
       distance?: number}
      """
    ),
    ("Filter", "FieldFilter | {anyOf: [[Filter]]}"),
    (
      "LookupInfo",
      "{emailAddress?: string, phoneNumber?: string, userRecordName?: string}"
    ),
    ("PersonName", "{givenName?: string, familyName?: string}"),
    (
      "Query",
      """
      {recordType: string, filterBy?: [Filter], sortBy?: [Sort]}
      """
    ),
    (
      "QueryExplanation",
      """
      {plan: string, index: string, ranges: int, remainingFilters: [string], entriesRead: int,
       recordsRead: int}
      """
    ),
    (
      "Record",
      """
      {recordName: string, recordType: string, fields: {*: any}, pluginFields: any,
       recordChangeTag: string, created: Stamp, modified: Stamp, deleted: bool, zoneID: ZoneID,
       parent?: Reference, share?: Reference, shortGUID?: string, displayedHostname?: string,
       publicPermission?: string, participants?: [any], owner?: any, currentUserParticipant?: any,
       denyAccessRequests?: bool, requesters?: [any], blockedIdentities?: [any]}
      """
    ),
    (
      "RecordFailure",
      """
      {recordName: string, reason: string, serverErrorCode: string, uuid?: string, retryAfter?: int,
       ckErrorCode?: int, serverRecord?: Record, sealingRootRecordName?: string}
      """
    ),
    ("RecordName", "{recordName: string, zoneID?: ZoneID}"),
    (
      "RecordOperation",
      """
      {operationType: string, record: RecordToSave, desiredKeys?: [string],
       numbersAsStrings?: bool}
      """
    ),
    ("RecordResult", "Record | Tombstone | RecordFailure"),
    ("RecordRoot", "{recordName: string, rootRecordName: string}"),
    (
      "RecordToSave",
      """
      {recordName?: string, recordType?: string, recordChangeTag?: string, zoneID?: ZoneID,
       fields?: {*: any}, parent?: any, createShortGUID?: bool, forRecord?: any,
       publicPermission?: string, participants?: [any], denyAccessRequests?: bool,
       denyRequesters?: [string], blockRequesters?: [string], unblockIdentities?: [string]}
      """
    ),
    ("Reference", "{recordName: string}"),
    (
      "ShortGUID",
      "{value: string, shouldFetchRootRecord?: bool, rootRecordDesiredKeys?: [string]}"
    ),
    (
      "Sort",
      """
      {fieldName?: string, systemFieldName?: string, ascending?: bool, relativeLocation?: any}
      """
    ),
    ("Stamp", "{timestamp: int, userRecordName?: string, deviceID?: string}"),
    (
      "Subscription",
      """
      {subscriptionID?: string, subscriptionType: string, query?: Query, zoneID?: ZoneID,
       zoneWide?: bool, firesOn?: [string], firesOnce?: bool, recordType?: string,
       notificationInfo?: any}
      """
    ),
    (
      "SubscriptionFailure",
      """
      {subscriptionID?: string, uuid?: string, serverErrorCode: string, reason: string,
       retryAfter?: int, ckErrorCode?: int}
      """
    ),
    ("SubscriptionID", "{subscriptionID: string}"),
    (
      "SubscriptionOperation",
      "{operationType: string, subscription: Subscription | SubscriptionID}"
    ),
    (
      "SubscriptionResult",
      "Subscription | {subscriptionID: string, deleted: bool} | SubscriptionFailure"
    ),
    ("Token", "{apnsEnvironment: Environment, apnsToken: string, webcourierURL?: string}"),
    (
      "Tombstone",
      "{recordName: string, deleted: bool, zoneID?: ZoneID, deletedRecordType?: string}"
    ),
    ("UploadTarget", "{recordName?: string, fieldName: string, url: string}"),
    (
      "User",
      "{userRecordName: string, firstName?: string, lastName?: string, emailAddress?: string}"
    ),
    (
      "UserFailure",
      """
      {emailAddress?: string, phoneNumber?: string, userRecordName?: string, uuid?: string,
       serverErrorCode: string, reason: string, retryAfter?: int, ckErrorCode?: int}
      """
    ),
    (
      "UserIdentity",
      "{userRecordName: string, nameComponents?: PersonName, lookupInfo?: LookupInfo}"
    ),
    (
      "WrappedKey",
      """
      {keyID: string, recipient: string, wrapped: string, rootRecordName?: string,
       isRetired?: bool}
      """
    ),
    (
      "Zone",
      """
      {zoneID: ZoneID, syncToken?: string, incarnation?: string, atomic?: bool, isSharable?: bool,
       isEligibleForZoneShare?: bool, isEligibleForHierarchicalShare?: bool, share?: Reference,
       deleted?: bool, deletionReason?: string, encryptionScope?: string}
      """
    ),
    (
      "ZoneChanges",
      """
      {zoneID: ZoneID, records: [RecordResult], syncToken: string, moreComing: bool,
       clientChangeToken?: string, remainingCountMax?: int}
      """
    ),
    (
      "ZoneChangesRequest",
      """
      {zoneID: ZoneID, syncToken?: string, resultsLimit?: Count, desiredKeys?: [string],
       desiredRecordTypes?: [string], reverse?: bool, deletedRecordTypes?: bool,
       remainingCount?: bool, numbersAsStrings?: bool}
      """
    ),
    (
      "ZoneFailure",
      """
      {zoneID: ZoneID, uuid?: string, serverErrorCode: string, reason: string, retryAfter?: int,
       userDidResetEncryptedData?: bool, ckErrorCode?: int}
      """
    ),
    ("ZoneID", "{zoneName: string, ownerRecordName?: string, zoneType?: string}"),
    (
      "ZoneKeys",
      """
      {zoneID: ZoneID, keys: [WrappedKey], memberKeys?: [string], roots?: [RecordRoot]}
      """
    ),
    (
      "ZoneOperation",
      "{operationType: string, zone: {zoneID: ZoneID, encryptionScope?: string}}"
    ),
  ].map { ($0.0, Shape($0.1)) }
}
