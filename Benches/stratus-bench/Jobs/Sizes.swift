/// The durations and amounts of the measurements.
struct Sizes {
  /// The number of rounds. The result is the median of all rounds.
  var rounds: Int
  /// The number of seconds of each measurement, after a warm-up.
  var seconds: Double
  var warmUpSeconds: Double
  /// The number of records in the zone for lookups and pulls.
  var pulledRecords: Int
  /// The number of records in the large zone.
  var largeZoneRecords: Int
  /// The number of times that one change is saved and fetched, in each round and for each of two
  /// zones.
  var changes: Int
  /// The number of records for the queries.
  var queriedRecords: Int
  /// The number of queries of each kind in a round.
  var queries: Int
  /// The size of the uploaded and downloaded file, in bytes.
  var assetBytes: Int
  /// The number of idle notification streams of one server. It is below 20,000, the number of files
  /// that a process may open.
  var streams: Int
  /// The number of idle notification streams of three servers together.
  var manyStreams: Int
  /// The number of streams that get the event of one write.
  var reachedStreams: Int
  /// The number of writes whose events are measured. The benchmark waits for each event before it
  /// begins the next write.
  var events: Int
  /// The number of query subscriptions to one record type.
  var subscriptions: Int
  /// The number of records that a sync engine sends and fetches.
  var syncedRecords: Int
  /// The number of records that are saved before the memory of index builds is measured.
  var storedRecords: Int

  /// The loads during which a quiet caller is measured.
  var neighbours = Neighbour.allCases
  /// The options of `stratus serve` for the server of the job `neighbours`.
  var serveOptions: [String] = []

  /// The sizes of a full run, which takes about seven minutes.
  static let full = Sizes(
    rounds: 5, seconds: 4, warmUpSeconds: 1, pulledRecords: 100_000,
    largeZoneRecords: 1_000_000, changes: 3_000, queriedRecords: 1_000_000, queries: 1_000,
    assetBytes: 512 << 20, streams: 18_000, manyStreams: 50_000,
    reachedStreams: 10_000, events: 1_000, subscriptions: 1_000_000, syncedRecords: 100_000,
    storedRecords: 1_000_000)
  /// The sizes of a quick run, which takes about a minute.
  static let quick = Sizes(
    rounds: 2, seconds: 1.5, warmUpSeconds: 0.5, pulledRecords: 40_000,
    largeZoneRecords: 100_000, changes: 1_000, queriedRecords: 100_000, queries: 300,
    assetBytes: 64 << 20, streams: 4_000, manyStreams: 12_000,
    reachedStreams: 4_000, events: 300, subscriptions: 50_000, syncedRecords: 20_000,
    storedRecords: 100_000)
}
