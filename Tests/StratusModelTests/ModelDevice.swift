import CloudKit

/// What one device knows: records it holds, and how far it has followed which zone.
struct ModelDevice {
  /// A record the device holds, and what is expected to be in it.
  struct Copy {
    let record: CKRecord
    let type: Int
    var fields: [Int: Value]
    var parent: Int?
    /// The version whose tag it has.
    var version: Int
  }

  /// A place in a zone's history, and what is known there.
  struct ZoneFeed {
    var token: CKServerChangeToken?
    /// The zone as it was when the token's history began.
    var incarnation: Int?
    var records: [Int: ModelServer.Record] = [:]
    /// The moment of the last change known when the feed was last read to its end.
    var completeAt: Int?
  }

  /// A place in the database's history, and the zones known there.
  struct DatabaseFeed {
    var token: CKServerChangeToken?
    var zones: Set<Int> = []
    var completeAt: Int?
    /// Zone → the moment it was last told of, since then.
    var toldAt: [Int: Int] = [:]
  }

  let database: CKDatabase
  var copies: [RecordKey: Copy] = [:]
  /// What was held before.
  var olderCopies: [RecordKey: Copy] = [:]
  var feeds: [Int: ZoneFeed] = [:]
  /// Where each feed stood at earlier times.
  var bookmarks: [Int: [ZoneFeed]] = [:]
  var databaseFeed = DatabaseFeed()

  /// Goes on with another copy of a record.
  mutating func hold(_ copy: Copy, _ key: RecordKey) {
    olderCopies[key] = copies[key]
    copies[key] = copy
  }
}
