/// The limits of the protocol and the server. Each comment says what is counted and where the
/// number comes from. `Choice:` begins our reason for a number that Apple does not document.
public enum Limits {
  /// The maximum number of operations in one `records/modify` or `subscriptions/modify`, and of
  /// record names in one `encryption/keys`. The Web Services Reference (*Property Metrics*) says
  /// 200 operations. Choice: 400, the maximum of one `CKModifyRecordsOperation`, so that an atomic
  /// batch is one transaction. Some clients send 400 operations.
  public static let operationsPerRequestMax = 400
  /// The maximum number of bytes of all fields that one operation of the CloudKit framework saves
  /// (`CKError.limitExceeded`: "about 2 MB").
  public static let operationSizeBytesMax = 2_097_152
  /// The maximum number of records in one page of a query or of changes (*Property Metrics*).
  public static let recordsPerResponseMax = 200
  /// The maximum number of records in one `records/lookup`, and of subscriptions in one
  /// `subscriptions/lookup`. Apple's service was observed to accept 400 records from the CloudKit
  /// framework.
  public static let lookupsPerRequestMax = 400
  /// The maximum number of users that one request looks up. Choice: an app can look up an address
  /// book in a few requests.
  public static let userLookupsPerRequestMax = 100
  /// The number of other users that one user may look up in an hour. Choice: enough to invite
  /// people and to look through an address book, and too few to try a list of addresses.
  public static let userLookupsPerHour = 200
  /// The maximum number of zones in one request. Choice: 200, the limit of the Web Services
  /// Reference for operations in one request.
  public static let zonesPerRequestMax = 200
  /// The maximum number of changed zones in one page of `changes/database`.
  public static let zonesPerResponseMax = 200
  /// The maximum number of bytes of one record's fields without assets (Property Metrics: 1 MB).
  public static let recordSizeBytesMax = 1_048_576
  /// The maximum number of bytes of one file. Apple's pages say 15 and 50 MB, but Apple's service
  /// accepts more. Choice: 16 GiB, so that every file of an ordinary app fits, and one request
  /// cannot fill a disk.
  public static let assetSizeBytesMax: Int64 = 17_179_869_184
  /// The maximum number of bytes of the files that one user has uploaded and that no record uses.
  /// Choice: one file of the largest size and some ordinary files fit. Files that no record uses
  /// are removed after a day.
  public static let unheldBytesPerUserMax: Int64 = 21_474_836_480
  /// In one store, the maximum number of bytes of the files that no record uses. Choice: ten times
  /// ``unheldBytesPerUserMax``.
  public static let unheldBytesPerStoreMax: Int64 = 214_748_364_800
  /// The maximum number of files in one `assets/upload` or `assets/rereference` (*Property
  /// Metrics*: tokens).
  public static let assetsPerRequestMax = 200
  /// The maximum number of bytes of one request. Apple says "about 2 MB". Choice: 4 MiB, so that
  /// 200 ordinary records fit even as verbose JSON, and a body of 10 MB is refused before it is
  /// read.
  public static let requestSizeBytesMax = 4_194_304
  /// The maximum number of bytes of an oversized request that the server reads and discards.
  /// Choice: 32 MiB. Some clients send a whole request before they read the answer. They would
  /// otherwise wait indefinitely, and not read the refusal.
  public static let refusedRequestBytesMax = 33_554_432
  /// The number of bytes of records in one answer after which the page ends early. Choice: 8 MiB,
  /// so that 200 records of 1 MB are not built in memory at once.
  public static let responseSizeBytesMax = 8_388_608
  /// The maximum number of bytes of one answer. Choice: 16 MiB, four times the size of a request. A
  /// few callers cannot fill the memory with small requests that have large answers.
  public static let answerSizeBytesMax = 16_777_216
  /// The number of bytes of an answer that are reserved for errors, tokens and punctuation. Choice:
  /// 400 errors with escaped names need less.
  public static let answerReserveBytes = 1_048_576
  /// The maximum number of bytes of one record's fields as JSON. Choice: four times
  /// ``recordSizeBytesMax``, so that one record always fits into an answer.
  public static let recordTextBytesMax = 4_194_304
  /// The maximum number of bytes of a line in the archive of an account. Choice: twice
  /// ``recordTextBytesMax`` and 64 KiB, so that the fields of the largest record, the state of a
  /// share and the names fit.
  public static let archiveLineBytesMax = 2 * recordTextBytesMax + 65_536
  /// The maximum number of bytes of the stored records that one `records/modify` loads. Choice: the
  /// writer needs about 0.1 s to read these records, and all of them are in memory at once.
  public static let snapshotSizeBytesMax = 33_554_432
  /// The number of records that are read before their sizes are checked. Choice: the number of
  /// names that one statement of the store accepts.
  public static let recordsReadTogether = 20
  /// The maximum number of bytes of the server's own URL, which may come from the header of a
  /// request. Choice: a host name of 253 bytes and a port fit. An answer repeats the URL for each
  /// file.
  public static let serverURLBytesMax = 300
  /// The maximum number of files in the fields of one record. Choice: an answer has a URL of some
  /// hundred bytes for each file.
  public static let assetsPerRecordMax = 1_000
  /// The maximum number of values in one list. Choice: each value may become an entry of an index,
  /// and apps keep longer data in files.
  public static let listValuesMax = 20_000
  /// The maximum number of different words that are indexed for one field. Queries do not find the
  /// later words of the text. Choice: a novel of 1 MB has about this many different words, and each
  /// word becomes an index entry.
  public static let wordsPerFieldMax = 10_000
  /// The maximum number of entries that one record has in all indexes of its type. Choice: writing
  /// them takes about 0.1 s, in which other writers wait.
  public static let indexEntriesPerRecordMax = 20_000
  /// The maximum number of work steps (about 1 µs each) of the transaction of one `records/modify`.
  /// Choice: 250 ms, because other writers wait that long. The first record is always accepted.
  public static let writerStepsMax = 250_000
  /// The maximum number of nested levels in the JSON of a request. Choice: the deepest legal
  /// request has nine levels.
  public static let jsonDepthMax = 32
  /// The maximum number of records that one transaction of a cascade deletes. The first part of a
  /// cascade runs in the transaction of the deletion itself. Choice: more than the 750 references
  /// that Apple allows to one record, so that a cascade of this size is finished when the deletion
  /// is answered. Other writers hardly wait for so few records.
  public static let cascadeStepMax = 1_000
  /// The number of bytes of fields after which one transaction of a cascade loads no more records.
  /// Choice: a record may have a megabyte, and other writers wait during the transaction.
  public static let cascadeStepSizeBytesMax = 8_388_608
  /// The maximum number of records that follow another record into or out of a shared hierarchy in
  /// one transaction. Choice: as many as one transaction of a cascade deletes.
  public static let hierarchyStepMax = 1_000
  /// The maximum number of parents above a record that is saved in a zone with shared hierarchies.
  /// Choice: people's folders have fewer levels. Apple's limit is unknown.
  public static let hierarchyDepthMax = 64
  /// The maximum number of changed zones that one `changes/database` moves to the end of the
  /// history of a shared database. Choice: about 50 ms of writing. If there are more zones, the
  /// answer says that more changes are coming.
  public static let zonesRelistedMax = 1_000
  /// The maximum number of participants of a share besides its owner. Apple's service refuses more
  /// than 100.
  public static let participantsPerShareMax = 100
  /// The maximum number of shares that a user owns in one container and environment. Choice: the
  /// server compares a batch of new shares with all shares of their zone.
  public static let sharesPerUserMax = 5_000
  /// The maximum number of shares that one request creates, changes or deletes. Choice: to delete a
  /// share with 100 participants takes some milliseconds, in which other writers wait.
  public static let sharesChangedPerRequestMax = 50
  /// The maximum number of shares that a user joins in one zone of another user. Choice: every
  /// request of the user to this zone reads all of these shares. Apps rarely share more than a few
  /// lists or folders in one zone.
  public static let joinedSharesPerZoneMax = 200
  /// The maximum number of zones in a user's shared database. Choice: each poll of the shared
  /// database looks up the newest changes of all these zones, which takes some milliseconds.
  public static let sharedZonesPerUserMax = 2_000
  /// The maximum number of users who have asked for access to a share and have got no answer.
  /// Choice: as many as a share can have participants. Each request is part of the share's record.
  public static let accessRequestsPerShareMax = 100
  /// The maximum number of blocked users of a share. Choice: the list is part of the share's
  /// record, which every participant's acceptance reads and writes.
  public static let blockedPerShareMax = 200
  /// The maximum number of further addresses that a user confirms for an account. Choice: more than
  /// a person uses, and few enough to compare with each participant of a share.
  public static let addressesPerAccountMax = 10
  /// The maximum number of bytes of a URL that a container's operator sets for its share pages.
  public static let shareURLBytesMax = 1_024
  /// The maximum number of shares that one request resolves, accepts or asks for. Choice: each
  /// accepted share is a transaction.
  public static let sharesPerRequestMax = 50
  /// When a request deletes records, the server checks whether their children hold them back. This
  /// is the maximum number of children that one request checks. Choice: a bound for the work of
  /// deleting a record together with a million children.
  public static let childrenCheckedMax = 4_000
  /// The maximum number of characters of a record name or zone name (Apple's pages on `CKRecord.ID`
  /// and `CKRecordZone.ID`).
  public static let nameLengthMax = 255
  /// The maximum number of characters of a record type. Choice: the same as for names.
  public static let recordTypeLengthMax = 255
  /// The maximum number of characters of a field name (Apple's page on `CKRecord`).
  public static let fieldNameLengthMax = 255
  /// The maximum number of fields in one record type. Choice: the schema must be small, because
  /// every write reads it.
  public static let fieldsPerRecordTypeMax = 1_000
  /// The maximum number of users with custom roles in one container and environment. Choice: every
  /// session of the store keeps these users in memory, with about 150 bytes each. A session reads
  /// them again when a role is granted or revoked.
  public static let usersWithRolesMax = 10_000
  /// The maximum number of different refusals that the production radar counts in memory. Refusals
  /// are different if the container, the missing part of the schema (type, field or index) or the
  /// app differs. Choice: each takes about 200 bytes.
  public static let lacksPendingMax = 1_000
  /// The maximum number of rows of the production radar's counts in one store. Choice: more than an
  /// operator reads. Callers that invent names cannot fill the disk.
  public static let lacksPerStoreMax = 500
  /// The maximum number of characters of an app's name and version together, in the production
  /// radar's counts. Choice: they fit in one line.
  public static let appNameLengthMax = 64

  /// The maximum number of entries of the request log in memory. They take about 2 MB, and show
  /// some minutes of a busy server.
  public static let requestLogEntriesMax = 4_096
  /// The number of days for which the request log is kept on disk. Choice: a complaint about last
  /// week can be examined, and the personal data in the log is removed soon.
  public static let requestLogDays: Int64 = 7
  /// The maximum size of the request log on disk, in bytes. Choice: about 200,000 requests.
  public static let requestLogBytesMax: Int64 = 67_108_864
  /// The maximum number of counts of requests by container, environment, endpoint and minute.
  /// Choice: enough for 13 endpoints of one container in each minute of a day. The counts take
  /// about 6 MB.
  public static let telemetryPointsMax = 20_000
  /// The milliseconds after which a query counts as slow. Choice: people notice a longer wait.
  public static let slowQueryMilliseconds: Int64 = 200
  /// The maximum number of record types in one container. Choice: as for
  /// ``fieldsPerRecordTypeMax``.
  public static let recordTypesMax = 1_000
  /// The maximum number of roles in one schema. Choice: an app needs only a few.
  public static let schemaRolesMax = 100
  /// The maximum number of bytes of a schema file. Choice: 15 times the largest schema found in
  /// public projects.
  public static let schemaTextBytesMax = 2_097_152
  /// The maximum number of faults of a schema file that one answer lists. Choice: they fit on a
  /// screen, and one fault can cause others.
  public static let schemaFaultsMax = 20
  /// The number of records that one transaction reads to copy or remove the values of a retired
  /// field. Choice: about 20 ms, in which other writers wait.
  public static let retirementStepRows = 500
  /// The number of days without a write to a retired field after which the field can be dropped
  /// without force. Choice: as long as an unused index is kept. In this time, a device that is used
  /// once a week has written to the field.
  public static let retirementQuietDays: Int64 = 14
  /// The maximum number of devices that the server remembers as writers of a retired field. Choice:
  /// enough to show which app versions still write to the field. Beyond this number, the earliest
  /// writers are forgotten.
  public static let retiredWritersMax = 1_000
  /// The maximum number of rows that are counted for the progress of an index build. Choice: about
  /// 0.2 s of counting. The progress of a larger build is shown as "at least" this number.
  public static let indexProgressRowsMax: Int64 = 2_000_000
  /// The maximum number of custom zones in one database. Choice: a bound for the work of
  /// `zones/list` for one user.
  public static let zonesPerDatabaseMax = 50_000
  /// The number of seconds that `fetchChanges` and `sendChanges` of a sync engine wait for one
  /// delegate call. Choice: a delegate that stores the received data needs far less time. The limit
  /// ends a deadlock: a delegate may wait, through another task, for one of these methods of its
  /// own engine.
  public static let delegateWaitSecondsMax = 60.0
  /// The maximum number of bytes of a wrapped zone key. Choice: the only current format has 81
  /// bytes, and a later format may be longer.
  public static let wrappedKeyBytesMax = 512
  /// The number of different keys of a zone, or of one shared hierarchy, after which its keys are
  /// no longer retired. Choice: a zone or hierarchy gets a new key after each departure or removal
  /// of a participant.
  public static let zoneKeysMax = 500
  /// The maximum number of hierarchies of a zone that have keys. Choice: an owner's device reads
  /// all keys of a zone at once.
  public static let keyedHierarchiesPerZoneMax = 1_000
  /// The maximum number of wrapped keys in one request, for example for all participants of a share
  /// and for its URL.
  public static let wrappedKeysPerRequestMax = 1_000
  /// The maximum number of bytes of a client change token. Choice: the server stores one such token
  /// with each zone, so the token must be short.
  public static let clientChangeTokenBytesMax = 1_024
  /// The maximum number of subscriptions of one user in one database. Choice: apps have a few, and
  /// each change may have to be compared with all of them.
  public static let subscriptionsPerUserMax = 1_000
  /// The maximum number of bytes of one subscription as JSON. Choice: the subscription is read with
  /// each change that it may concern.
  public static let subscriptionSizeBytesMax = 65_536
  /// The maximum number of bytes of all subscriptions of a user in one database. Choice: half of an
  /// answer, because one answer lists all of them.
  public static let subscriptionsSizeBytesMax = 8_388_608
  /// The maximum number of fields whose values a notification contains (Apple's page on
  /// `CKSubscription.NotificationInfo`).
  public static let additionalFieldsMax = 3
  /// The maximum number of subscriptions and changed records, added together, that one transaction
  /// matches. Choice: about 20 ms of work. The limit also bounds the notifications that one
  /// transaction writes.
  public static let matchStepMax = 1_000
  /// The maximum number of filters of one query, including those in `anyOf`. Choice: each filter is
  /// checked for each record that the query reads.
  public static let queryFiltersMax = 100
  /// The maximum number of sorts of one query. Choice: an index has one column for each sort.
  public static let querySortsMax = 10
  /// The maximum number of index ranges that one query reads and merges, for example one for each
  /// value of an `IN`. Choice: each range costs a search in the index.
  public static let queryRangesMax = 1_000
  /// A page of a query ends early after the query has read this number of index entries and records
  /// for the page. Choice: about 0.1 s of work.
  public static let queryEntriesReadMax = 20_000
  /// The maximum number of entries that a query reads completely and sorts in memory, instead of
  /// reading an index in the requested order. Choice: about 20 ms and 3 MB.
  public static let queryGatherMax = 5_000
  /// The maximum number of values in the list of one filter. Choice: apps search for the records
  /// that a screen shows, or for one record for each of a person's contacts. Each value is compared
  /// with each record that is read.
  public static let queryValuesMax = 2_000
  /// The maximum number of different words that one filter looks for. Choice: a person types ten.
  public static let queryWordsMax = 100
  /// The maximum number of bytes of the texts in one filter that searches for words. Choice: the
  /// texts are folded and split into words before any record is read.
  public static let queryWordsSizeBytesMax = 65_536
  /// The number of work steps (about 1 µs each) after which a query yields to other readers before
  /// it continues. Choice: 30 ms.
  public static let querySliceStepsMax = 30_000
  /// The number of work steps (about 1 µs each) after which a page of a query ends early. Choice:
  /// 0.4 s, so that a request takes less than a second even if reading one record takes long.
  public static let queryStepsMax = 400_000
  /// The maximum number of records that are read and sorted in memory if no index serves a query.
  /// Choice: about 10 ms.
  public static let queryUnindexedMax = 1_000
  /// The maximum number of rows of any type that a query without an index reads in a zone. Choice:
  /// about 10 ms.
  public static let queryWalkRowsMax = 5_000
  /// The maximum number of indexes of several columns that are kept for one record type. Choice:
  /// a save of a record may write to every index.
  public static let indexesPerRecordTypeMax = 32
  /// The number of days without a query after which an unused index is dropped. Choice: an index
  /// that is used once a week is kept, and an index that is used once a month is built again.
  public static let indexUnusedDaysMax: Int64 = 14
  /// The number of records that an index build reads at once. It is also the maximum number of
  /// changed records that one transaction adds to a new index. Choice: about 20 ms, in which a
  /// thread does nothing else.
  public static let indexBuildStepRows = 1_000
  /// The maximum number of entries that one transaction of an index build writes. Choice: about 20
  /// ms, in which other writers wait.
  public static let indexBuildStepEntries = 4_000
  /// The maximum number of bytes of index entries that all running builds together sort before they
  /// write. Choice: about a million entries. The more entries are sorted at once, the fewer times
  /// each page of an index is written.
  public static let indexBuildSizeBytesMax = 67_108_864
  /// The maximum number of records that one request reads to build indexes. A query that needs
  /// more is answered from another index, or with TRY_AGAIN_LATER. Choice: a few seconds.
  public static let indexBuildRequestRows = 200_000
  /// The maximum number of requests of one user per second. Choice: a busy app makes ten. A script
  /// that makes more requests for a long time delays other callers.
  public static let requestsPerUserPerSecond = 500
  /// The size of a burst: as many requests or operations may arrive at once as the rate allows in
  /// this number of seconds. Choice: enough for a first synchronization, and for a morning
  /// on which all devices wake up.
  public static let burstSeconds = 20
  /// The maximum number of records, zones and subscriptions that one user saves and deletes per
  /// second. Choice: a first upload of 100,000 records runs without a pause, and one user leaves
  /// half of the disk's speed to others.
  public static let operationsPerUserPerSecond = 10_000
  /// The maximum number of requests per second with one API token. Choice: the rate of ten users.
  /// An app is throttled before it slows down other apps.
  public static let requestsPerAPITokenPerSecond = 5_000
  /// The maximum number of saves and deletions per second with one API token. Choice: the rate of
  /// ten users.
  public static let operationsPerAPITokenPerSecond = 100_000
  /// The maximum number of anonymous requests per second from one address. Choice: a web page makes
  /// ten, and a school behind one address has some dozen readers at once.
  public static let anonymousRequestsPerAddressPerSecond = 50
  /// The maximum number of anonymous requests per second with one API token. Choice: a fifth of
  /// ``requestsPerAPITokenPerSecond``.
  public static let anonymousRequestsPerAPITokenPerSecond = 1_000
  /// After a caller has sent and received this number of bytes, one more request is counted.
  /// Choice: 500 requests a second are then equal to 32 MB a second, and a burst to 640 MB.
  public static let bytesPerPacedRequest = 65_536
  /// After a caller has caused this number of work steps (about 1 µs each), one more request is
  /// counted. Choice: 500 requests a second are then equal to the work of one processor core.
  public static let stepsPerPacedRequest = 2_000
  /// The maximum number of expensive requests of one caller that run at the same time while other
  /// callers are active. Choice: other callers then wait for at most one expensive request.
  public static let expensiveRequestsPerCallerMax = 1
  /// The maximum number of expensive requests of one caller that wait for their turn, and of
  /// steps of uploads that wait. Choice: an app sends a few requests at the same time. Each
  /// waiting request needs memory, even if its client has closed the connection.
  public static let expensiveRequestsWaitingMax = 64
  /// A request whose body has at least this number of bytes counts as expensive before it has run.
  /// Choice: about a millisecond of decoding and writing.
  public static let expensiveBodyBytesMin = 16_384
  /// If an answer has at least this number of bytes, the caller's requests to the same endpoint
  /// count as expensive for ten seconds. Choice: about half a millisecond.
  public static let expensiveAnswerBytesMin = 131_072
  /// If a request causes at least this number of work steps (about 1 µs each), the caller's
  /// requests to the same endpoint count as expensive for ten seconds. Choice: about two
  /// milliseconds.
  public static let expensiveStepsMin = 2_000
  /// A write of an expensive request that needs more microseconds on the writing thread is followed
  /// by a pause, if other callers write. Choice: saves of 200 records take longer.
  public static let writerHoldMicroseconds: Int64 = 3_000
  /// The length of the pause for each microsecond beyond ``writerHoldMicroseconds``. Choice: the
  /// longer a write, the fewer saves of other callers may meet one.
  public static let writerPauseFactor: Int64 = 100
  /// The maximum length of the pause. Choice: a caller that saves a hundred times a second then
  /// waits for a long write of another caller with fewer than one in a hundred of its saves.
  public static let writerPauseMicrosecondsMax: Int64 = 2_000_000
  /// The number of work steps of creating, saving or deleting one zone or subscription. Choice:
  /// about ten statements of the store.
  public static let stepsPerSmallOperation = 100
  /// The maximum number of callers whose rate is tracked at the same time. Choice: about 10 MB.
  /// Beyond this number, tracking restarts for all callers.
  public static let pacedCallersMax = 100_000
  /// The maximum number of notification streams that one user has open in one container. Choice:
  /// twice ``devicesPerUserMax``. Each stream costs some kilobytes, an open file, and a part of
  /// every delivery.
  public static let streamsPerUserMax = 100
  /// The maximum number of requests that wait for the writer of one store. The same number may wait
  /// for the readers of the store. Choice: less than a second of work.
  public static let storeWaitingMax = 8_192
  /// The maximum number of concurrent `records/modify` requests to one zone, including waiting
  /// ones. Choice: about 100 ms of work. Later requests receive an error with a retry delay instead
  /// of waiting long.
  public static let zoneWritersMax = 1_024
  /// The approximate maximum number of notifications in one user's queue. If there are more, the
  /// oldest are removed. Choice: a device that missed so many notifications fetches the changes
  /// anyway.
  public static let queuedNotificationsMax = 1_000
  /// The approximate number of notifications that stay available to `notifications/changes` after
  /// every device of the user has received them. Choice: few apps call this endpoint.
  public static let keptNotificationsMax = 100
  /// The number of days after which a notification, or a device without any activity, is removed.
  /// Choice: a month.
  public static let notificationDaysMax: Int64 = 30
  /// The maximum number of devices of one user. Choice: the server checks each device before it
  /// removes a notification.
  public static let devicesPerUserMax = 50
  /// The maximum number of characters of a device's `clientId`. Choice: a UUID has 36.
  public static let clientIDLengthMax = 64
  /// The maximum number of notifications in one answer of `notifications/changes`. Choice: the
  /// same as ``recordsPerResponseMax``.
  public static let notificationsPerResponseMax = 200
  /// The maximum number of IDs in one `notifications/read`. Choice: the same as
  /// ``operationsPerRequestMax``.
  public static let notificationIDsPerRequestMax = 400
  /// The maximum number of characters of an APNs token. Choice: today, a token has 64 characters,
  /// and Apple says that tokens may grow.
  public static let apnsTokenLengthMax = 512
  /// The largest badge number on an app's icon. Choice: every system can show six digits.
  public static let badgeMax = 999_999
  /// The number of seconds in which the head of a request must arrive. Choice: a head is one
  /// packet, and 30 s are enough for a phone to send it again after a change of its network.
  public static let headSecondsMax: Int64 = 30
  /// The number of seconds in which a body must end or make progress (``progressBytesMin``).
  /// Choice: the same as ``headSecondsMax``.
  public static let bodySecondsMax: Int64 = 30
  /// The number of seconds in which a client must read an answer, or a part of it
  /// (``progressBytesMin``). Choice: the same as ``headSecondsMax``.
  public static let answerSecondsMax: Int64 = 30
  /// The number of seconds for which a connection stays open without a request. Choice: long enough
  /// for an app's next call. A later call opens a new connection.
  public static let idleSecondsMax: Int64 = 30
  /// The number of seconds in which requests in progress may finish when the server shuts down.
  /// Choice: service managers and container platforms wait at least this long before they kill a
  /// process.
  public static let graceSeconds: Int64 = 10
  /// The number of seconds during which a connection's input is read and discarded after its last
  /// answer. Choice: two seconds, in which the client reads that answer before it sees the
  /// connection reset.
  public static let lingerSecondsMax: Int64 = 2
  /// The number of bytes of a refused body that are discarded before reading pauses. Choice: with
  /// the pause, each connection discards 13 MB a second, and a refused request of 4 MB takes 0.3 s.
  public static let discardedBytesPerPause = 65_536
  /// The length of the pause after ``discardedBytesPerPause``, in milliseconds.
  public static let discardPauseMilliseconds: Int64 = 5
  /// When this number of bytes of a body or an answer has been transferred, its time-out begins
  /// again. Choice: with time-outs of 30 s, this is about a kilobyte a second, which is slower than
  /// the slowest mobile network.
  public static let progressBytesMin = 32_768
  /// The maximum number of bytes of a body that a connection collects before the request is routed.
  /// A longer body is read when the request is answered. For most endpoints, this is after the
  /// caller was checked. Choice: an ordinary request fits, and the collected bodies of 10,000
  /// connections occupy at most 320 MB of memory.
  public static let collectedBodyBytesMax = 32_768
  /// When this number of bytes of a body wait for the endpoint, the connection stops reading from
  /// its socket until the endpoint has read the bytes. Choice: 256 KiB.
  public static let bodyAheadBytesMax = 262_144
  /// The default of the maximum number of connections from one address. An address is an IPv4
  /// address, or the first 64 bits of an IPv6 address, which identify one customer of a provider.
  /// Choice: a large office behind one router. If half of all allowed connections are fewer, the
  /// default is this half.
  public static let connectionsPerAddressMax = 4_096
  /// The maximum difference in seconds between the date of a signed request and the server's time.
  /// Ten minutes is the value of the Web Services Reference. Choice: the date may be earlier or
  /// later than the server's time.
  public static let signatureWindowSeconds: Int64 = 600
  /// The number of days for which the audit log keeps an entry. Choice: a little more than a year,
  /// so that a yearly review sees all entries.
  public static let auditDays: Int64 = 400
  /// The maximum number of days for which earlier versions of records are kept. Choice: ten years.
  public static let versionDaysMax: Int64 = 3_650
  /// The maximum number of record versions in a store. Choice: with the indexes, a version of a
  /// small record takes about 0.5 kB, so ten million versions take about 5 GB.
  public static let recordVersionsMax: Int64 = 10_000_000
  /// The maximum number of bytes of record versions in a store. Choice: 10 GiB, so that versions
  /// cannot fill the disk of a small server.
  public static let recordVersionsBytesMax: Int64 = 10_737_418_240
  /// The maximum number of record versions that one transaction removes. Choice: so few that other
  /// writers hardly wait.
  public static let versionsTrimmedTogether = 500
  /// The maximum number of records that one step of a restore from record versions examines.
  /// Choice: a quarter of the largest batch of an app. The deletions and the saves of a step are
  /// two batches.
  public static let recordsRestoredTogether = 100
  /// The maximum number of zones that one step of a restore from record versions examines. Choice:
  /// three statements for each zone take a few milliseconds.
  public static let zonesRestoredTogether = 100
  /// The number of bytes of fields after which a step of a restore from record versions examines no
  /// more records. Choice: a quarter of ``snapshotSizeBytesMax``.
  public static let restoreStepBytesMax = 8_388_608
  /// The binary logarithm of scrypt's cost N for passwords. OWASP's cheat sheet approves 15 with r
  /// = 8 and p = 3, which takes 32 MiB and about 0.4 s.
  public static let passwordLogRounds = 15
  /// The maximum number of sign-ins that wait until their password is checked. Choice: the last of
  /// them waits about ten seconds.
  public static let passwordsWaitingMax = 32
  /// The maximum number of bytes of an HTML form that a browser sends from the server's own pages.
  /// Choice: a sealed sign-in request and two passwords fit.
  public static let formBytesMax = 16_384

  // Limits of the client.

  /// The maximum number of bytes of one answer that the client accepts. Choice: four times the
  /// largest answer of this server. A server of another version may send more, but a broken server
  /// cannot fill a device's memory.
  public static let clientAnswerBytesMax = 67_108_864
  /// The maximum number of bytes that an answer to a range request may have beyond the range.
  /// Choice: 64 KiB, because such an answer may be an error page of a proxy, or a small file from a
  /// server without range support.
  public static let clientErrorBytesMax = 65_536
  /// The maximum number of seconds for which a client waits if a server tells it to retry later.
  /// Choice: a day. A longer time is a mistake.
  public static let retryAfterSecondsMax = 86_400.0
}
