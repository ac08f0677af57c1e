/// How long and how much is measured.
struct Sizes {
  /// Times that everything is measured; the median counts.
  var rounds: Int
  /// Seconds each load is measured, after a warm-up.
  var seconds: Double
  var warmUpSeconds: Double
  /// Records of the zone that is looked up in and pulled.
  var pulledRecords: Int
  /// Records of the large zone.
  var largeZoneRecords: Int
  /// Times that one change is fetched, a round and zone.
  var changes: Int
  /// Records that are queried.
  var queriedRecords: Int
  /// Queries of each kind, a round.
  var queries: Int
  /// Bytes of the file that goes up and down.
  var assetBytes: Int
  /// Streams of notifications that are idle; a process opens 20,000 files at most.
  var streams: Int
  /// The same, of three servers in all.
  var manyStreams: Int
  /// Streams that one write reaches.
  var reachedStreams: Int
  /// Writes whose events are awaited, one after the other.
  var events: Int
  /// Query subscriptions on one record type.
  var subscriptions: Int
  /// Records that a sync engine sends and fetches.
  var syncedRecords: Int

  /// About seven minutes.
  static let full = Sizes(
    rounds: 5, seconds: 4, warmUpSeconds: 1, pulledRecords: 100_000,
    largeZoneRecords: 1_000_000, changes: 3_000, queriedRecords: 1_000_000, queries: 1_000,
    assetBytes: 512 << 20, streams: 18_000, manyStreams: 50_000,
    reachedStreams: 10_000, events: 1_000, subscriptions: 1_000_000, syncedRecords: 100_000)
  /// About a minute.
  static let quick = Sizes(
    rounds: 2, seconds: 1.5, warmUpSeconds: 0.5, pulledRecords: 40_000,
    largeZoneRecords: 100_000, changes: 1_000, queriedRecords: 100_000, queries: 300,
    assetBytes: 64 << 20, streams: 4_000, manyStreams: 12_000,
    reachedStreams: 4_000, events: 300, subscriptions: 50_000, syncedRecords: 20_000)
}
