/// Every limit of the wire and the server. Each comment says what is counted, and then where the
/// number comes from. `Choice:` begins our reason for a number that Apple does not document.
public enum Limits {
  /// Operations in one `*/modify`. The Web Services Reference (*Property Metrics*) says 200.
  /// Choice: 400, the maximum of one native operation, so that its atomic batch is one transaction.
  /// Clients are known to send as many (wire-quirks A29).
  public static let operationsPerRequestMax = 400
  /// Bytes of fields in one native operation (CKError.limitExceeded: "about 2 MB").
  public static let operationSizeBytesMax = 2_097_152
  /// Records in one answer (*Property Metrics*).
  public static let recordsPerResponseMax = 200
  /// Records in one `records/lookup`. The native service was observed to accept this many.
  public static let lookupsPerRequestMax = 400
  /// Zones in one request. Choice: Apple's limit for operations.
  public static let zonesPerRequestMax = 200
  /// Zones in one page of a database's changes or list.
  public static let zonesPerResponseMax = 200
  /// Bytes of one record's fields without assets (Property Metrics: 1 MB).
  public static let recordSizeBytesMax = 1_048_576
  /// Bytes of one file. Apple's pages say 15 and 50 MB; the native service accepts more
  /// (web-services §8). Choice: 16 GiB, so that every file of an ordinary app fits, and one request
  /// cannot fill a disk.
  public static let assetSizeBytesMax: Int64 = 17_179_869_184
  /// Bytes of one user's uploaded files that no record holds. Choice: room for one file of the
  /// largest size and some ordinary files. Such files are removed after a day.
  public static let unheldBytesPerUserMax: Int64 = 21_474_836_480
  /// Bytes of files in one store that no record holds. Choice: ten users at their limit.
  public static let unheldBytesPerStoreMax: Int64 = 214_748_364_800
  /// Files in one `assets/upload` or `assets/rereference` (*Property Metrics*: tokens).
  public static let assetsPerRequestMax = 200
  /// Bytes of one request. Apple says "about 2 MB". Choice: 4 MiB, so that 200 ordinary records fit
  /// even as verbose JSON, and a body of 10 MB is refused before it is read.
  public static let requestSizeBytesMax = 4_194_304
  /// Bytes of an oversized request that the server reads and discards. A client that sends its
  /// whole request before it reads can then read the refusal. Otherwise it would wait indefinitely.
  /// Choice.
  public static let refusedRequestBytesMax = 33_554_432
  /// Bytes of records in one answer, after which the page ends early, so that 200 records of 1 MB
  /// are not built in memory at once. Choice.
  public static let responseSizeBytesMax = 8_388_608
  /// Bytes of one answer. Choice: 16 MiB, four times the size of a request. A few callers cannot
  /// fill the memory with small requests that have large answers.
  public static let answerSizeBytesMax = 16_777_216
  /// Bytes of the answer that are reserved for errors, tokens and punctuation. Choice: 400 errors
  /// with escaped names need less.
  public static let answerReserveBytes = 1_048_576
  /// Bytes of one record's fields as JSON. Choice: four times ``recordSizeBytesMax``, so that an
  /// answer always has room for one record.
  public static let recordTextBytesMax = 4_194_304
  /// Bytes of the stored records that one `records/modify` loads. Choice: the writer needs about
  /// 0.1 s to read them, and they are in memory at the same time.
  public static let snapshotSizeBytesMax = 33_554_432
  /// Records that are read before their sizes are checked. Choice: the number of names that one
  /// statement of the store accepts.
  public static let recordsReadTogether = 20
  /// Bytes of the server's own URL, as a request names it. Choice: room for a host name of 253
  /// bytes and a port. An answer repeats the URL for each file.
  public static let serverURLBytesMax = 300
  /// Files in the fields of one record. Choice: an answer has a URL of some hundred bytes for each.
  public static let assetsPerRecordMax = 1_000
  /// Values of one list. Choice: each may become an entry of an index; apps keep longer data in
  /// files.
  public static let listValuesMax = 20_000
  /// Different words of one field that queries find. Later words of the text are not found. Choice:
  /// a novel of 1 MB has about this many, and each becomes an index entry.
  public static let wordsPerFieldMax = 10_000
  /// Entries that one record has in all indexes of its type. Choice: about 0.1 s of writing, during
  /// which other writers wait.
  public static let indexEntriesPerRecordMax = 20_000
  /// Steps of work (about 1 µs each) that one `records/modify` does in the writer. Choice: 250 ms,
  /// because other writers wait that long. The first record is always accepted.
  public static let writerStepsMax = 250_000
  /// Levels of nesting in the JSON of a request. Choice: the deepest legal request has nine.
  public static let jsonDepthMax = 32
  /// Records that one step of a cascade deletes. The first step runs in the deletion's own
  /// transaction. Choice: more than the 750 references that Apple allows to one record, so that
  /// such a cascade is finished when the deletion is answered. Other writers hardly wait for so few
  /// records.
  public static let cascadeStepMax = 1_000
  /// Bytes of fields after which a step of a cascade loads no more records. Choice: a record may
  /// have a megabyte, and other writers wait during the step.
  public static let cascadeStepSizeBytesMax = 8_388_608
  /// Records that follow another record into or out of a shared hierarchy in one transaction.
  /// Choice: as many as a cascade deletes.
  public static let hierarchyStepMax = 1_000
  /// Records in the chain of parents of a record that is saved in a zone with shared hierarchies.
  /// Choice: people's folders have fewer levels. Apple's limit is unknown (sharing §2.3).
  public static let hierarchyDepthMax = 64
  /// Zones of a shared database whose positions in the history one `changes/database` updates.
  /// Choice: about 50 ms of writing. If there are more, the answer says that more are coming.
  public static let zonesRelistedMax = 1_000
  /// Participants of a share besides its owner (semantics §22: more than 100 are refused).
  public static let participantsPerShareMax = 100
  /// Shares of a user in one container. A batch of new shares is compared with all
  /// shares of its zone.
  public static let sharesPerUserMax = 5_000
  /// Shares that begin, change or end in one request. Choice: the end of a share with 100
  /// participants takes some milliseconds, in which other writers wait.
  public static let sharesChangedPerRequestMax = 50
  /// Shares that a user joins in one zone of another user. Choice: every request of the user reads
  /// all of them. Apps share lists and folders, and rarely more than a few in one zone.
  public static let joinedSharesPerZoneMax = 200
  /// Zones of other users that a user sees. Choice: each poll of the shared database compares all
  /// of them with their newest changes, in some milliseconds.
  public static let sharedZonesPerUserMax = 2_000
  /// Shares in one request to resolve or accept. Each accepted share is a transaction.
  public static let sharesPerRequestMax = 50
  /// Children of deleted records that one request checks. Choice: bounds the work of deleting a
  /// record together with a million children.
  public static let childrenCheckedMax = 4_000
  /// Characters of a record name or zone name (CKRecord.ID, CKRecordZone.ID).
  public static let nameLengthMax = 255
  /// Characters of a record type. Choice: the same as for names.
  public static let recordTypeLengthMax = 255
  /// Characters of a field name (CKRecord).
  public static let fieldNameLengthMax = 255
  /// Fields in one record type. Choice: protects the schema, which every write reads.
  public static let fieldsPerRecordTypeMax = 1_000
  /// Users with custom roles in one container and environment. Choice: every session of the store
  /// keeps these users in memory, with about 150 bytes each. It reads them again when a role is
  /// granted or revoked.
  public static let usersWithRolesMax = 10_000
  /// Different refusals that the production radar counts in memory. It counts by container, missing
  /// part of the schema (type, field or index) and app. Choice: each takes about 200 bytes.
  public static let lacksPendingMax = 1_000
  /// Rows of the production radar's counts in one store. Choice: more than an operator reads.
  /// Callers that invent names cannot fill the disk.
  public static let lacksPerStoreMax = 500
  /// Characters of an app's name and version in these counts. Choice: they fit in one line.
  public static let appNameLengthMax = 64
  /// Record types in one container. Choice: protects the schema, like ``fieldsPerRecordTypeMax``.
  public static let recordTypesMax = 1_000
  /// Roles in one schema. Choice: an app needs only a few.
  public static let schemaRolesMax = 100
  /// Bytes of a schema file. Choice: 15 times the largest schema found in public projects.
  public static let schemaTextBytesMax = 2_097_152
  /// Faults of a schema file that one answer lists. Choice: they fit on a screen, and one fault can
  /// cause others.
  public static let schemaFaultsMax = 20
  /// Records that one step of a retirement reads to copy or remove values. Choice: about 20 ms, in
  /// which other writers wait.
  public static let retirementStepRows = 500
  /// Days without a write to a retiring field after which it can be dropped without force. Choice:
  /// as long as an unused index is kept. A device that is on once a week has written by then.
  public static let retirementQuietDays: Int64 = 14
  /// Devices that the server notes as writers of a retiring field. Choice: enough to show which app
  /// versions still write to it. Beyond this number, the earliest writers are forgotten.
  public static let retiredWritersMax = 1_000
  /// Rows that are counted for the progress of an index build. Choice: about 0.2 s of counting. For
  /// larger builds, the progress is shown as "at least" this number.
  public static let indexProgressRowsMax: Int64 = 2_000_000
  /// Custom zones in one database. Choice: bounds the work of `zones/list` for one user.
  public static let zonesPerDatabaseMax = 50_000
  /// Seconds that `fetchChanges` and `sendChanges` of a sync engine wait for one delegate call.
  /// Choice: a delegate that stores the received data needs far less time. The limit ends a
  /// deadlock: a delegate may wait, through another task, for such a call of its own engine.
  public static let delegateWaitSecondsMax = 60.0
  /// Bytes of a wrapped zone key. Choice: the only current form has 81; a later form may be longer.
  public static let wrappedKeyBytesMax = 512
  /// Bytes of a client change token. Choice: it is stored with the zone.
  public static let clientChangeTokenBytesMax = 1_024
  /// Subscriptions of one user in one database. Choice: apps have a few; each change may have to be
  /// compared with all of them.
  public static let subscriptionsPerUserMax = 1_000
  /// Bytes of one subscription as JSON. Choice: the subscription is read with each change that it
  /// may concern.
  public static let subscriptionSizeBytesMax = 65_536
  /// Bytes of all subscriptions of a user in one database. Choice: half of an answer, because one
  /// answer lists all of them.
  public static let subscriptionsSizeBytesMax = 8_388_608
  /// Fields whose values a notification contains (CKSubscription.NotificationInfo).
  public static let additionalFieldsMax = 3
  /// Subscriptions and changed records that one step of matching reads. Choice: about 20 ms of
  /// work. It also bounds the notifications that one transaction writes.
  public static let matchStepMax = 1_000
  /// Filters of one query, including those in `anyOf`. Choice: each is checked on each record read.
  public static let queryFiltersMax = 100
  /// Sorts of one query. Choice: an index has one column for each sort.
  public static let querySortsMax = 10
  /// Index ranges that one query reads in parallel, for example the values of an `IN`. Choice: each
  /// range costs a seek.
  public static let queryRangesMax = 1_000
  /// Index entries and records that one page of a query reads before it ends early. Choice: about
  /// 0.1 s of work.
  public static let queryEntriesReadMax = 20_000
  /// Entries that a query reads completely and sorts in memory, instead of walking an index in the
  /// requested order. Choice: about 20 ms and 3 MB.
  public static let queryGatherMax = 5_000
  /// Values in the list of one filter. Choice: apps search for the records on a screen, or of a
  /// person's contacts. Each value is compared with each record read.
  public static let queryValuesMax = 2_000
  /// Different words that one filter looks for. Choice: a person types ten.
  public static let queryWordsMax = 100
  /// Bytes of the texts in one filter that searches for words. Choice: the texts are folded and
  /// split into words before any record is read.
  public static let queryWordsSizeBytesMax = 65_536
  /// Steps of work, about 1 µs each, after which a query yields to other readers before it
  /// continues. Choice: 30 ms.
  public static let querySliceStepsMax = 30_000
  /// Steps of work (about 1 µs each) after which a page of a query ends early. Choice: 0.4 s, so
  /// that a request takes less than a second even if reading one record takes long.
  public static let queryStepsMax = 400_000
  /// Records that are read and sorted in memory if no index serves a query. Choice: about 10 ms.
  public static let queryUnindexedMax = 1_000
  /// Rows of any type that a query without an index reads in a zone. Choice: about 10 ms.
  public static let queryWalkRowsMax = 5_000
  /// Indexes of several columns that are kept for one record type. Choice: each save of a record
  /// writes to each index.
  public static let indexesPerRecordTypeMax = 32
  /// Days without a query after which an unused index is dropped. Choice: an index that is used
  /// once a week is kept; one that is used once a month is built again.
  public static let indexUnusedDaysMax: Int64 = 14
  /// Records that an index build reads at once. One transaction also catches up with at most this
  /// many changed records. Choice: about 20 ms, in which a thread does nothing else.
  public static let indexBuildStepRows = 1_000
  /// Entries that one transaction of an index build writes. Choice: about 20 ms, in which other
  /// writers wait.
  public static let indexBuildStepEntries = 4_000
  /// Bytes of index entries that are sorted before they are written, in all running builds
  /// together. Choice: about a million entries. The more entries are sorted at once, the fewer
  /// times each page of an index is written.
  public static let indexBuildSizeBytesMax = 67_108_864
  /// Records that one request reads to build indexes. The request then answers TRY_AGAIN_LATER.
  /// Choice: a few seconds.
  public static let indexBuildRequestRows = 200_000
  /// Sustained requests per second of one user. Choice: a busy app makes ten. A script that makes
  /// more than this for a long time delays other callers.
  public static let requestsPerUserPerSecond = 500
  /// Seconds whose requests or operations may arrive at once, as a burst. Choice: a first
  /// synchronization, or a morning on which all devices wake.
  public static let burstSeconds = 20
  /// Records, zones and subscriptions that one user saves and deletes per second, sustained.
  /// Choice: a first upload of 100,000 records runs without a pause, and one user leaves half of
  /// the disk's speed to others.
  public static let operationsPerUserPerSecond = 10_000
  /// Sustained requests per second with one API token. Choice: the rate of ten users. An app is
  /// throttled before it slows down other apps.
  public static let requestsPerAPITokenPerSecond = 5_000
  /// Sustained saves and deletions per second with one API token. Choice: the rate of ten users.
  public static let operationsPerAPITokenPerSecond = 100_000
  /// Sustained requests per second from one address without a user. Choice: a web page makes ten; a
  /// school behind one address has some dozen readers at once.
  public static let anonymousRequestsPerAddressPerSecond = 50
  /// Sustained requests per second with one API token without a user. Choice: a fifth of
  /// ``requestsPerAPITokenPerSecond``.
  public static let anonymousRequestsPerAPITokenPerSecond = 1_000
  /// Bytes received and sent that count as one more request. Choice: 500 requests a second then
  /// stand for 32 MB a second, and a burst for 640 MB.
  public static let bytesPerPacedRequest = 65_536
  /// Steps of work (about 1 µs each) that count as one more request. Choice: 500 requests a second
  /// then stand for the work of one processor core.
  public static let stepsPerPacedRequest = 2_000
  /// Expensive requests of one caller that run at the same time while other callers are active.
  /// Choice: other callers then wait for at most one such request.
  public static let expensiveRequestsPerCallerMax = 1
  /// The length of a body, in bytes, from which on a request counts as expensive before it has run.
  /// Choice: about a millisecond of decoding and writing.
  public static let expensiveBodyBytesMin = 16_384
  /// The length of an answer, in bytes, from which on the caller's next request to the same
  /// endpoint counts as expensive. Choice: about half a millisecond.
  public static let expensiveAnswerBytesMin = 131_072
  /// Steps of work from which on the caller's next request to the same endpoint counts as
  /// expensive. Choice: about two milliseconds.
  public static let expensiveStepsMin = 2_000
  /// Callers whose rate is tracked at the same time. Choice: about 10 MB. Beyond this number,
  /// tracking restarts for all callers.
  public static let pacedCallersMax = 100_000
  /// Streams of notifications that one user holds open in one container. Choice: twice the devices
  /// of a user. Each stream costs some kilobytes, an open file, and a part of every delivery.
  public static let streamsPerUserMax = 100
  /// Requests that wait for the writer of one store, and also those that wait for its readers.
  /// Choice: some 100 ms of work.
  public static let storeWaitingMax = 8_192
  /// Concurrent `records/modify` requests to one zone, including waiting ones. Choice: about 100 ms
  /// of work. Later requests receive an error with a retry delay instead of waiting long.
  public static let zoneWritersMax = 1_024
  /// Approximate number of notifications in one user's queue. If there are more, the oldest are
  /// removed. Choice: a device that missed so many notifications fetches the changes anyway.
  public static let queuedNotificationsMax = 1_000
  /// Approximate number of notifications that stay in the collection (`notifications/changes`)
  /// after every device of the user has them. Choice: few apps read the collection.
  public static let keptNotificationsMax = 100
  /// Days after which a notification, or a device without any activity, is removed. Choice.
  public static let notificationDaysMax: Int64 = 30
  /// Devices of one user. Choice: the server checks each device before it removes a notification.
  public static let devicesPerUserMax = 50
  /// Characters of a device's `clientId`. Choice: a UUID has 36.
  public static let clientIDLengthMax = 64
  /// Notifications in one answer of `notifications/changes`. Choice: as many as records.
  public static let notificationsPerResponseMax = 200
  /// IDs in one `notifications/read`. Choice: as many as operations.
  public static let notificationIDsPerRequestMax = 400
  /// Characters of an APNs token. Choice: today they have 64; Apple says that they may grow.
  public static let apnsTokenLengthMax = 512
  /// The number on an app's icon. Choice: every system can show it.
  public static let badgeMax = 999_999
  /// Seconds in which the head of a request must arrive. Choice: a head is one packet. A phone that
  /// changes its network meanwhile has sent it again by then.
  public static let headSecondsMax: Int64 = 30
  /// Seconds in which a body must end or make progress (``progressBytesMin``). Choice: as for the
  /// head.
  public static let bodySecondsMax: Int64 = 30
  /// Seconds in which a client must read an answer, or a part of it (``progressBytesMin``). Choice:
  /// as for the head.
  public static let answerSecondsMax: Int64 = 30
  /// Seconds for which a connection stays open without a request. Choice: long enough for an app's
  /// next call. A later call opens a new connection.
  public static let idleSecondsMax: Int64 = 30
  /// Seconds that requests in progress get when the server shuts down. Choice: service managers and
  /// container platforms wait at least this long before they kill a process.
  public static let graceSeconds: Int64 = 10
  /// Seconds during which a connection's input is read and discarded after its last answer. The
  /// client then reads that answer before it sees the connection reset. Choice.
  public static let lingerSecondsMax: Int64 = 2
  /// Bytes of a refused body that are discarded before reading pauses. Choice: with the pause, each
  /// connection discards 13 MB a second, and a refused request of 4 MB takes 0.3 s.
  public static let discardedBytesPerPause = 65_536
  /// Milliseconds of the pause after ``discardedBytesPerPause``.
  public static let discardPauseMilliseconds: Int64 = 5
  /// Bytes that count as progress of a body or an answer. Choice: about a kilobyte a second, which
  /// is slower than the slowest mobile network.
  public static let progressBytesMin = 32_768
  /// Bytes of a body that a connection collects before the request is routed. The endpoint reads
  /// longer bodies after it has checked the caller. Choice: an ordinary request fits, and 10,000
  /// unauthenticated connections hold at most 320 MB.
  public static let collectedBodyBytesMax = 32_768
  /// Bytes of a body that wait for an endpoint before the connection stops reading from its socket.
  /// Choice.
  public static let bodyAheadBytesMax = 262_144
  /// Connections from one address: an IPv4 address, or the first 64 bits of an IPv6 address, which
  /// identify one customer of a provider. Choice: a large office behind one router. The server
  /// never allows one address more than half of all connections.
  public static let connectionsPerAddressMax = 4_096
  /// Seconds between the date of a signed request and the server's time. The Web Services Reference
  /// is quoted with ten minutes (web-auth §4.5); Choice: in both directions.
  public static let signatureWindowSeconds: Int64 = 600
  /// The binary logarithm of scrypt's N for passwords. OWASP's cheat sheet approves 15 with r = 8
  /// and p = 3 (signin §1): 32 MiB and about 0.4 s.
  public static let passwordLogRounds = 15
  /// Sign-ins that wait for a password's hash. Choice: the last one waits about ten seconds.
  public static let passwordsWaitingMax = 32
  /// Bytes of a form of the server's own pages. Choice: a sealed request and two passwords fit.
  public static let formBytesMax = 16_384

  // Limits of the client.

  /// Bytes of one answer that the native framework accepts. Choice: four times the largest answer
  /// of this server. A server of another version may send more, but a broken server cannot fill a
  /// device's memory.
  public static let clientAnswerBytesMax = 67_108_864
  /// Bytes that an answer to a range request may have beyond the range. Such an answer may be an
  /// error page of a proxy, or a small file from a server without range support. Choice.
  public static let clientErrorBytesMax = 65_536
  /// Seconds that a client waits at a server's request. Choice: a day; a longer time is a mistake.
  public static let retryAfterSecondsMax = 86_400.0
}
