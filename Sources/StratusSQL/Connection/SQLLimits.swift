/// Bounds of the data that one statement or one step reads or removes.
enum SQLLimits {
  /// The number of bytes of fields after which one step of background work reads no more records,
  /// even below its row limit. A record may have a megabyte, and a step of hundreds of records must
  /// not read hundreds of megabytes.
  static let stepSizeBytesMax = 8 << 20
  /// If the engine sends a result as a whole, the result ends after this number of bytes. This
  /// number must be larger than every size at which a caller stops. Otherwise the caller would
  /// mistake the end of the result for the end of the rows.
  static let resultSizeBytesMax = 64 << 20
  /// The number of rows of each kind, except records, that one step removes from a deleted zone. A
  /// bound is needed because, for example, a zone with shared hierarchies may have as many passages
  /// as records.
  static let rowsPerPurge = 1_000
  /// The number of names that one statement accepts.
  static let namesPerFind = 20
}
