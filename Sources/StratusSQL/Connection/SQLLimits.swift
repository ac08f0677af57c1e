/// Bounds of what one call reads, each with its reason.
enum SQLLimits {
  /// Bytes of fields after which a step over many records ends, whatever its limit of rows: a
  /// record may have a megabyte, and steps of hundreds must not take hundreds of megabytes.
  static let stepSizeBytesMax = 8 << 20
  /// Cascades of a deleted zone that one step removes, and passages: there may be as many as
  /// records.
  static let rowsPerPurge = 1_000
  /// Rows a statement of many names takes at once.
  static let namesPerFind = 20
}
