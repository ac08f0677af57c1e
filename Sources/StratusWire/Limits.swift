/// Every limit of the wire and the server, each with its reason.
public enum Limits {
  /// Operations in one `*/modify`. The Web Services Reference (*Property Metrics*) says 200;
  /// Choice: 400, the items of one native operation, so that its atomic batch stays one
  /// transaction; clients are known to send as many (wire-quirks A29).
  public static let operationsPerRequestMax = 400
  /// Bytes of fields in one native operation (CKError.limitExceeded: "about 2 MB").
  public static let operationSizeBytesMax = 2_097_152
  /// Records in one answer (*Property Metrics*).
  public static let recordsPerResponseMax = 200
  /// Records in one `records/lookup`: what the native service was seen to accept.
  public static let lookupsPerRequestMax = 400
  /// Zones in one request or answer. Choice: as many as operations.
  public static let zonesPerRequestMax = 200
  /// Zones in one page of a database's changes or list.
  public static let zonesPerResponseMax = 200
  /// Bytes of one record's fields, assets apart (Property Metrics: 1 MB).
  public static let recordSizeBytesMax = 1_048_576
  /// Bytes of one file. Apple's pages say 15 and 50 MB, the native service takes more (web-services
  /// §8); Choice: 16 GiB, so that no file of an app's is too large, and no client fills a disk by
  /// one request.
  public static let assetSizeBytesMax: Int64 = 17_179_869_184
  /// Bytes that one user has uploaded and that no record holds. Choice: one file of the largest
  /// size and ordinary ones beside it; they are removed after a day.
  public static let unheldBytesPerUserMax: Int64 = 21_474_836_480
  /// Bytes in one store that no record holds. Choice: ten users at their limit.
  public static let unheldBytesPerStoreMax: Int64 = 214_748_364_800
  /// Files in one `assets/upload` or `assets/rereference` (*Property Metrics*: tokens).
  public static let assetsPerRequestMax = 200
  /// Bytes of one request. Apple says "about 2 MB"; Choice: 4 MiB, so that 200 ordinary records
  /// and a clumsy client's spelling still fit, and a 10 MB body is refused before it is read.
  public static let requestSizeBytesMax = 4_194_304
  /// Bytes of an oversized request that the server reads and discards. A client that sends its
  /// whole request before it reads thus receives the refusal instead of waiting indefinitely.
  /// Choice.
  public static let refusedRequestBytesMax = 33_554_432
  /// Bytes of records in one answer, after which the page ends early, so that 200 records of 1 MB
  /// are not built in memory at once. Choice.
  public static let responseSizeBytesMax = 8_388_608
  /// Bytes of one answer. Choice: 16 MiB, four times a request, so that a few callers cannot fill
  /// the memory by small requests for large answers.
  public static let answerSizeBytesMax = 16_777_216
  /// Bytes of the answer that are reserved for errors, tokens and punctuation. Choice: 400 errors
  /// with escaped names need less.
  public static let answerReserveBytes = 1_048_576
  /// Bytes of one record's fields as JSON. Choice: four times what its values may have, so that an
  /// answer always has room for one record.
  public static let recordTextBytesMax = 4_194_304
  /// Bytes of the stored records that one `records/modify` looks at. Choice: about 0.1 s of reading
  /// in the writer, and no more memory than that.
  public static let snapshotSizeBytesMax = 33_554_432
  /// Records that are read before their sizes are looked at. Choice: what one statement of the
  /// store finds.
  public static let recordsReadTogether = 20
  /// Bytes of the server's own URL, as a caller names it. Choice: a host name has 253 and a port;
  /// the URL stands with each file of an answer.
  public static let serverURLBytesMax = 300
  /// Files in the fields of one record. Choice: each has a URL of some hundred bytes in an answer.
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
  /// Steps of work that one `records/modify` does in the writer, one of which takes about 1 µs.
  /// Choice: 250 ms, as the others wait that long. The first record is always taken.
  public static let writerStepsMax = 250_000
  /// Levels of nesting in a request: the deepest legal one has nine. Choice.
  public static let jsonDepthMax = 32
  /// Records that one step of a cascade deletes, including the deletion's own transaction. Choice:
  /// more than the 750 references that Apple allows to one record, so that such a cascade is
  /// finished when the deletion is answered. Few enough that other writers hardly wait.
  public static let cascadeStepMax = 1_000
  /// Bytes of fields after which a step of a cascade loads no more records. Choice: a record may
  /// have a megabyte, and writers wait.
  public static let cascadeStepSizeBytesMax = 8_388_608
  /// Records that follow another record into or out of a shared hierarchy in one transaction.
  /// Choice: as many as a cascade deletes.
  public static let hierarchyStepMax = 1_000
  /// Records in the chain of parents of a record that is saved in a zone with shared hierarchies.
  /// Choice: more levels than folders of people have. Apple's limit is unknown (sharing §2.3).
  public static let hierarchyDepthMax = 64
  /// Zones of a shared database that one `changes/database` lists again. Choice: about 50 ms of
  /// writing; the answer says that more are coming.
  public static let zonesRelistedMax = 1_000
  /// Children by `parent` that are checked for the records a request deletes. Choice: bounds the
  /// work of deleting a record together with a million children.
  public static let childrenCheckedMax = 4_000
  /// Characters of a record name or zone name (CKRecord.ID, CKRecordZone.ID).
  public static let nameLengthMax = 255
  /// Characters of a record type. Choice: as names.
  public static let recordTypeLengthMax = 255
  /// Characters of a field name (CKRecord).
  public static let fieldNameLengthMax = 255
  /// Fields in one record type. Choice: protects the schema, which every write reads.
  public static let fieldsPerRecordTypeMax = 1_000
  /// Users with custom roles in one container and environment. Choice: every session of the store
  /// keeps them in memory, about 150 bytes each, and reads them again when a role is granted or
  /// revoked.
  public static let usersWithRolesMax = 10_000
  /// Refusals of what production lacks that are counted in memory, by container, part and app.
  /// Choice: about 200 bytes each.
  public static let lacksPendingMax = 1_000
  /// Rows of such counts in one store. Choice: more than an operator reads, and callers that invent
  /// names fill no disk.
  public static let lacksPerStoreMax = 500
  /// Characters of an app's name and version in these counts. Choice: as much as a line shows.
  public static let appNameLengthMax = 64
  /// Record types in one container. Choice: as above.
  public static let recordTypesMax = 1_000
  /// Roles in one schema. Choice: an app has a few.
  public static let schemaRolesMax = 100
  /// Bytes of a schema file. Choice: 15 times the largest schema found in public projects.
  public static let schemaTextBytesMax = 2_097_152
  /// Faults of a schema file that one answer lists. Choice: a screen; one fault can cause others.
  public static let schemaFaultsMax = 20
  /// Rows that one step of a copy or a removal reads. Choice: about 20 ms; other writers wait.
  public static let retirementStepRows = 500
  /// Days without a write to a retiring field before it can be dropped without force. Choice: as
  /// long as an unused index is kept; a device that is on once a week has written by then.
  public static let retirementQuietDays: Int64 = 14
  /// Devices that are noted as writers of a retiring field. Choice: enough to show which app
  /// versions are left; the earliest are forgotten.
  public static let retiredWritersMax = 1_000
  /// Rows that the progress of an index build counts. Choice: about 0.2 s of counting; beyond this,
  /// progress is "at least".
  public static let indexProgressRowsMax: Int64 = 2_000_000
  /// Custom zones in one database. Choice: bounds the work of `zones/list` for one user.
  public static let zonesPerDatabaseMax = 50_000
  /// Seconds that `fetchChanges` and `sendChanges` of a sync engine wait for one delegate call.
  /// Choice: a delegate that waits for such a call through another task causes a deadlock. A
  /// delegate that stores the received data needs far less time.
  public static let delegateWaitSecondsMax = 60.0
  /// Bytes of a wrapped zone key. Choice: the one form there is has 81; another may come.
  public static let wrappedKeyBytesMax = 512
  /// Bytes of a client change token. Choice: it is kept with the zone.
  public static let clientChangeTokenBytesMax = 1_024
  /// Subscriptions of one user in one database. Choice: apps have a few; each change may have to
  /// look at all of them.
  public static let subscriptionsPerUserMax = 1_000
  /// Bytes of one subscription as JSON. Choice: it is read with each change that may concern it.
  public static let subscriptionSizeBytesMax = 65_536
  /// Bytes of all subscriptions of a user in one database. Choice: half of an answer, because one
  /// answer lists all of them.
  public static let subscriptionsSizeBytesMax = 8_388_608
  /// Fields whose values a notification contains (CKSubscription.NotificationInfo).
  public static let additionalFieldsMax = 3
  /// Subscriptions and changed records that one step of matching looks at. Choice: about 20 ms of
  /// work, and no more notifications than that in one transaction.
  public static let matchStepMax = 1_000
  /// Filters of one query, those of `anyOf` counted. Choice: each is checked on each record read.
  public static let queryFiltersMax = 100
  /// Sorts of one query. Choice: an index has a column for each.
  public static let querySortsMax = 10
  /// Index ranges that one query reads side by side, for example the values of an `IN`. Choice:
  /// each range costs a seek.
  public static let queryRangesMax = 1_000
  /// Index entries and records that one page of a query reads before it ends early. Choice: about
  /// 0.1 s of work.
  public static let queryEntriesReadMax = 20_000
  /// Entries that a query reads completely and sorts in memory, instead of walking an index in the
  /// requested order. Choice: about 20 ms and 3 MB.
  public static let queryGatherMax = 5_000
  /// Values in the list of one filter. Choice: apps ask for the records of a screen or of a
  /// person's contacts; each value is compared with each record read.
  public static let queryValuesMax = 2_000
  /// Different words that one filter looks for. Choice: a person types ten.
  public static let queryWordsMax = 100
  /// Bytes of the texts of one filter of words. Choice: they are folded and split before anything
  /// is read.
  public static let queryWordsSizeBytesMax = 65_536
  /// Steps of work, about 1 µs each, after which a query yields to other readers before it
  /// continues. Choice: 30 ms.
  public static let querySliceStepsMax = 30_000
  /// Steps of work of one page of a query; then it ends early. Choice: 0.4 s, so that a request
  /// stays below a second also where a record takes long.
  public static let queryStepsMax = 400_000
  /// Records that are read and sorted in memory where no index serves a query. Choice: about 10 ms.
  public static let queryUnindexedMax = 1_000
  /// Rows of a zone that a query without an index reads, of any type. Choice: as above.
  public static let queryWalkRowsMax = 5_000
  /// Indexes of several columns that are kept for one record type. Choice: each is written with
  /// each record.
  public static let indexesPerRecordTypeMax = 32
  /// Days after which an index is dropped that no query has read. Choice: an index
  /// that is used once a week is kept; one that is used once a month can be made again.
  public static let indexUnusedDaysMax: Int64 = 14
  /// Records that are read at once for an index build. One transaction catches up with as many
  /// changed records. Choice: about 20 ms, in which a thread does nothing else.
  public static let indexBuildStepRows = 1_000
  /// Entries written in one transaction that builds indexes. Choice: about 20 ms; other writers
  /// wait for it.
  public static let indexBuildStepEntries = 4_000
  /// Bytes of entries that are sorted before they are written, in all builds that go on at once.
  /// Choice: a million entries; the more, the fewer times each page of the index is written.
  public static let indexBuildSizeBytesMax = 67_108_864
  /// Records looked at for building indexes in one request, which then answers TRY_AGAIN_LATER.
  /// Choice: a few seconds.
  public static let indexBuildRequestRows = 200_000
  /// Requests a second of one user, over time. Choice: a busy app makes ten; a script that makes
  /// more than this for long keeps others waiting.
  public static let requestsPerUserPerSecond = 500
  /// Seconds' worth of requests or changes that may come at once. Choice: a first synchronization,
  /// or a morning on which all devices wake.
  public static let burstSeconds = 20
  /// Records, zones and subscriptions per second that one user saves and deletes, over time.
  /// Choice: a first upload of 100,000 records runs without a pause, and one user leaves half of
  /// the disk's speed to others.
  public static let operationsPerUserPerSecond = 10_000
  /// Requests per second with one API token, over time. Choice: the rate of ten users. An app is
  /// throttled before it slows down other apps.
  public static let requestsPerAPITokenPerSecond = 5_000
  /// Saves and deletions per second with one API token, over time. Choice: as above.
  public static let operationsPerAPITokenPerSecond = 100_000
  /// Requests a second from one address without a user, over time. Choice: a web page makes ten; a
  /// school behind one address has some dozen readers at once.
  public static let anonymousRequestsPerAddressPerSecond = 50
  /// Requests a second with one API token without a user, over time. Choice: a fifth of what the
  /// app's users have.
  public static let anonymousRequestsPerAPITokenPerSecond = 1_000
  /// Bytes received and sent that count as one more request. Choice: 500 requests a second are then
  /// 32 MB a second, and a burst 640 MB.
  public static let bytesPerPacedRequest = 65_536
  /// Steps of work, one of which takes about 1 µs, that count as one more request. Choice: 500
  /// requests a second are then one processor.
  public static let stepsPerPacedRequest = 2_000
  /// Expensive requests of one caller that run at the same time while other callers are active.
  /// Choice: the others then wait for one such request at most.
  public static let expensiveRequestsPerCallerMax = 1
  /// Bytes of a body from which a request counts as expensive before it has run. Choice: about a
  /// millisecond of decoding and writing.
  public static let expensiveBodyBytesMin = 16_384
  /// Bytes of an answer from which the caller's next request to the same endpoint counts as
  /// expensive. Choice: about half a millisecond.
  public static let expensiveAnswerBytesMin = 131_072
  /// Steps of work from which the same holds. Choice: about two milliseconds.
  public static let expensiveStepsMin = 2_000
  /// Callers whose rate is tracked at the same time. Choice: about 10 MB. Beyond this number,
  /// tracking restarts for all callers.
  public static let pacedCallersMax = 100_000
  /// Streams of notifications that one user holds open in one container. Choice: twice the devices
  /// of a user; each costs some kilobytes, a file, and a part of every delivery.
  public static let streamsPerUserMax = 100
  /// Requests that wait for the writer of one store, and as many for its readers. Choice: some
  /// 100 ms of work.
  public static let storeWaitingMax = 8_192
  /// Concurrent `records/modify` requests to one zone, including waiting ones. Choice: about 100 ms
  /// of work. Later requests receive an error with a retry delay instead of waiting long.
  public static let zoneWritersMax = 1_024
  /// Approximate number of notifications in one user's queue. The oldest are removed. Choice: a
  /// device that missed more fetches changes anyway.
  public static let queuedNotificationsMax = 1_000
  /// Approximate number of notifications that stay in the collection (`notifications/changes`)
  /// after every device of the user has them. Choice: few apps read the collection.
  public static let keptNotificationsMax = 100
  /// Days after which a notification is removed, and a device without any activity. Choice.
  public static let notificationDaysMax: Int64 = 30
  /// Devices of one user. Choice: the server checks each device before it removes a notification.
  public static let devicesPerUserMax = 50
  /// Characters of a device's `clientId`. Choice: a UUID has 36.
  public static let clientIDLengthMax = 64
  /// Notifications in one answer of `notifications/changes`. Choice: as records.
  public static let notificationsPerResponseMax = 200
  /// IDs in one `notifications/read`. Choice: as operations.
  public static let notificationIDsPerRequestMax = 400
  /// Characters of a token of APNs. Choice: they have 64; Apple says that they may grow.
  public static let apnsTokenLengthMax = 512
  /// The number on an app's icon. Choice: what every system can show.
  public static let badgeMax = 999_999
  /// Seconds for the head of a request. Choice: a head is one packet; a phone that changes its
  /// network in the middle sends it again by then.
  public static let headSecondsMax: Int64 = 30
  /// Seconds in which a body ends or makes progress (``progressBytesMin``). Choice: as above.
  public static let bodySecondsMax: Int64 = 30
  /// Seconds in which a client takes an answer or a part of it (``progressBytesMin``). Choice: as
  /// above.
  public static let answerSecondsMax: Int64 = 30
  /// Seconds for which a connection stays open without a request. Choice: long enough for an app's
  /// next call; the next one after that opens a new connection.
  public static let idleSecondsMax: Int64 = 30
  /// Seconds for requests in progress when the server ends. Choice: what service managers and
  /// container platforms wait at least before they kill a process.
  public static let graceSeconds: Int64 = 10
  /// Seconds during which a connection's input is read and discarded after its last answer. The
  /// client then reads that answer before it sees the connection reset. Choice.
  public static let lingerSecondsMax: Int64 = 2
  /// Bytes of a refused body that are discarded before reading pauses. Choice: with the pause, 13
  /// MB a second on each connection; a refused request of 4 MB takes 0.3 s.
  public static let discardedBytesPerPause = 65_536
  /// Milliseconds of that pause.
  public static let discardPauseMilliseconds: Int64 = 5
  /// Bytes that count as progress of a body or an answer. Choice: about a kilobyte a second, less
  /// than the slowest mobile network.
  public static let progressBytesMin = 32_768
  /// Bytes of a body that a connection collects before the request is routed. The endpoint reads
  /// longer bodies after it has checked the caller. Choice: an ordinary request fits, and 10,000
  /// unauthenticated connections hold at most 320 MB.
  public static let collectedBodyBytesMax = 32_768
  /// Bytes of a body that wait for an endpoint before the connection stops reading. Choice.
  public static let bodyAheadBytesMax = 262_144
  /// Connections from one address: an IPv4 address, or the first 64 bits of an IPv6 address, which
  /// one customer of a provider has. Choice: a large office behind one router; never more than
  /// half of all connections.
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

  // Bounds of the client.

  /// Bytes of one answer that the native framework takes. Choice: four times the largest answer of
  /// a server, so that a server of another version may give more, and a broken one cannot fill a
  /// device's memory.
  public static let clientAnswerBytesMax = 67_108_864
  /// Bytes that an answer to a range request may have beyond the range. Such an answer may be an
  /// error page of a proxy, or a small file from a server without range support. Choice.
  public static let clientErrorBytesMax = 65_536
  /// Seconds that a client waits because a server says so. Choice: a day; more is a mistake.
  public static let retryAfterSecondsMax = 86_400.0
}
