/// The durations and amounts of the measurements.
struct Sizes {
  /// The number of rounds; the median counts.
  var rounds: Int
  /// Seconds of each load's measurement, after a warm-up.
  var seconds: Double
  var warmUpSeconds: Double
  /// Records of the zone for lookups and pulls.
  var pulledRecords: Int
  /// Records of the large zone.
  var largeZoneRecords: Int
  /// Fetches of one change, for each round and zone.
  var changes: Int
  /// Records for the queries.
  var queriedRecords: Int
  /// Queries of each kind in a round.
  var queries: Int
  /// Bytes of the uploaded and downloaded file.
  var assetBytes: Int
  /// Idle streams of notifications; a process opens 20,000 files at most.
  var streams: Int
  /// Idle streams of three servers together.
  var manyStreams: Int
  /// Streams that one write reaches.
  var reachedStreams: Int
  /// Writes whose events are awaited, one after the other.
  var events: Int
  /// Query subscriptions on one record type.
  var subscriptions: Int
  /// Records that a sync engine sends and fetches.
  var syncedRecords: Int
  /// Records under the indexes whose building takes memory.
  var storedRecords: Int

  /// The sizes of a full run, about seven minutes.
  static let full = Sizes(
    rounds: 5, seconds: 4, warmUpSeconds: 1, pulledRecords: 100_000,
    largeZoneRecords: 1_000_000, changes: 3_000, queriedRecords: 1_000_000, queries: 1_000,
    assetBytes: 512 << 20, streams: 18_000, manyStreams: 50_000,
    reachedStreams: 10_000, events: 1_000, subscriptions: 1_000_000, syncedRecords: 100_000,
    storedRecords: 1_000_000)
  /// The sizes of a quick run, about a minute.
  static let quick = Sizes(
    rounds: 2, seconds: 1.5, warmUpSeconds: 0.5, pulledRecords: 40_000,
    largeZoneRecords: 100_000, changes: 1_000, queriedRecords: 100_000, queries: 300,
    assetBytes: 64 << 20, streams: 4_000, manyStreams: 12_000,
    reachedStreams: 4_000, events: 300, subscriptions: 50_000, syncedRecords: 20_000,
    storedRecords: 100_000)
}
