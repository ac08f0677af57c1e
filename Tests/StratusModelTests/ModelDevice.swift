import CloudKit

/// The state of one device: its records, and the position that it has reached in each zone.
struct ModelDevice {
  /// A record on the device, and its expected content.
  struct Copy {
    let record: CKRecord
    let type: Int
    var fields: [Int: Value]
    var parent: Int?
    /// The model's version number for the record's change tag.
    var version: Int
  }

  /// A position in a zone's history, and the records that the device knows at this position.
  struct ZoneFeed {
    var token: CKServerChangeToken?
    /// The zone's incarnation when the token's history began.
    var incarnation: Int?
    var records: [Int: ModelServer.Record] = [:]
    /// The model's moment when the feed was last read to its end; nil: never.
    var completeAt: Int?
  }

  /// A position in the database's history, and the zones that the device knows at this position.
  struct DatabaseFeed {
    var token: CKServerChangeToken?
    var zones: Set<Int> = []
    var completeAt: Int?
    /// Zone → the moment at which the feed last reported the zone.
    var toldAt: [Int: Int] = [:]
  }

  let database: CKDatabase
  var copies: [RecordKey: Copy] = [:]
  /// The earlier copies of records.
  var olderCopies: [RecordKey: Copy] = [:]
  var feeds: [Int: ZoneFeed] = [:]
  /// Earlier positions of each feed, to which ``Step/rewind(device:zone:)`` goes back.
  var bookmarks: [Int: [ZoneFeed]] = [:]
  var databaseFeed = DatabaseFeed()

  /// Replaces the device's copy of a record.
  mutating func hold(_ copy: Copy, _ key: RecordKey) {
    olderCopies[key] = copies[key]
    copies[key] = copy
  }
}
