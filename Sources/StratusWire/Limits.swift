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
  /// Bytes of one request. Apple says "about 2 MB"; Choice: 4 MiB, so that 200 ordinary records
  /// and a clumsy client's spelling still fit, and a 10 MB body is refused before it is read.
  public static let requestSizeBytesMax = 4_194_304
  /// Bytes of a request that is too large which are read and forgotten, so that a client that
  /// speaks before it listens hears the refusal: it would wait for ever on a connection nobody
  /// reads. Choice.
  public static let refusedRequestBytesMax = 33_554_432
  /// Bytes of records in one answer, after which the page ends early, so that 200 records of 1 MB
  /// are not built in memory at once. Choice.
  public static let responseSizeBytesMax = 8_388_608
  /// Levels of nesting in a request: the deepest legal one has nine. Choice.
  public static let jsonDepthMax = 32
  /// Records that go by one step of a cascade, the deletion's own transaction included. Choice:
  /// more than the 750 references that Apple allows to one record, so that what works there is done
  /// when the deletion is answered; few enough that writers hardly wait behind it.
  public static let cascadeStepMax = 1_000
  /// Children by `parent` of the records a request deletes that are looked at. Choice: bounds the
  /// work of deleting a record with a million children that go with it.
  public static let childrenCheckedMax = 4_000
  /// Characters of a record name or zone name (CKRecord.ID, CKRecordZone.ID).
  public static let nameLengthMax = 255
  /// Characters of a record type. Choice: as names.
  public static let recordTypeLengthMax = 255
  /// Characters of a field name (CKRecord).
  public static let fieldNameLengthMax = 255
  /// Fields in one record type. Choice: protects the schema, which every write reads.
  public static let fieldsPerRecordTypeMax = 1_000
  /// Record types in one container. Choice: as above.
  public static let recordTypesMax = 1_000
  /// Custom zones in one database. Choice: bounds `zones/list` work for one user.
  public static let zonesPerDatabaseMax = 50_000
  /// Bytes of a client change token. Choice: it is kept with the zone.
  public static let clientChangeTokenBytesMax = 1_024
}
