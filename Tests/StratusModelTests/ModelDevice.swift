import CloudKit

/// The state of one device: its records, and its position in the history of each zone.
struct ModelDevice {
  /// A record on the device, and its expected content.
  struct Copy {
    let record: CKRecord
    let type: Int
    var fields: [Int: Value]
    var parent: Int?
    /// The version in the model that belongs to the record's change tag.
    var version: Int
  }

  /// A position in a zone's history, and the records that the device knows at this position.
  struct ZoneFeed {
    var token: CKServerChangeToken?
    /// The incarnation of the zone at the first read without a token.
    var incarnation: Int?
    var records: [Int: ModelServer.Record] = [:]
    /// The moment in the model when the device last read the feed to its end, or nil if it never
    /// did.
    var completeAt: Int?
  }

  /// A position in the database's history, and the zones that the device knows at this position.
  struct DatabaseFeed {
    var token: CKServerChangeToken?
    var zones: Set<Int> = []
    var completeAt: Int?
    /// For each zone, the moment in the model at which the feed last reported the zone.
    var toldAt: [Int: Int] = [:]
  }

  let database: CKDatabase
  var copies: [RecordKey: Copy] = [:]
  /// For each record, the copy before the present copy.
  var olderCopies: [RecordKey: Copy] = [:]
  var feeds: [Int: ZoneFeed] = [:]
  /// Earlier positions of each feed. The step ``Step/rewind(device:zone:)`` goes back to one of
  /// them.
  var bookmarks: [Int: [ZoneFeed]] = [:]
  var databaseFeed = DatabaseFeed()

  /// Replaces the device's copy of a record.
  mutating func hold(_ copy: Copy, _ key: RecordKey) {
    olderCopies[key] = copies[key]
    copies[key] = copy
  }
}
