import Foundation
import StratusTransport

extension CKFetchRecordsOperation: LongLivedOperation {
  static let archiveName = "CKFetchRecordsOperation"

  private enum Key {
    static let recordIDs = "recordIDs"
    static let desiredKeys = "desiredKeys"
    static let wantsCurrentUser = "wantsCurrentUser"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.recordIDs, forKey: Key.recordIDs)
    coder.encode(texts: started.desiredKeys, forKey: Key.desiredKeys)
    coder.encode(started.wantsCurrentUser, forKey: Key.wantsCurrentUser)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordIDs = coder.list(Key.recordIDs, of: CKRecordID.self)
    desiredKeys = coder.texts(Key.desiredKeys)
    wantsCurrentUser = coder.flag(Key.wantsCurrentUser)
  }
}

extension CKQueryOperation: LongLivedOperation {
  static let archiveName = "CKQueryOperation"

  private enum Key {
    static let query = "query"
    static let cursor = "cursor"
    static let zoneID = "zoneID"
    static let limit = "resultsLimit"
    static let desiredKeys = "desiredKeys"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(present: started.query, forKey: Key.query)
    coder.encode(present: started.cursor, forKey: Key.cursor)
    coder.encode(present: started.zoneID, forKey: Key.zoneID)
    coder.encode(started.resultsLimit, forKey: Key.limit)
    coder.encode(texts: started.desiredKeys, forKey: Key.desiredKeys)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    query = coder.object(Key.query, of: CKQuery.self)
    cursor = coder.object(Key.cursor, of: CKQueryCursor.self)
    zoneID = coder.object(Key.zoneID, of: CKRecordZoneID.self)
    resultsLimit = coder.integer(Key.limit) ?? Self.maximumResults
    desiredKeys = coder.texts(Key.desiredKeys)
  }
}

extension CKFetchRecordZonesOperation: LongLivedOperation {
  static let archiveName = "CKFetchRecordZonesOperation"

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.recordZoneIDs, forKey: "recordZoneIDs")
    coder.encode(started.wantsAll, forKey: "wantsAll")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordZoneIDs = coder.list("recordZoneIDs", of: CKRecordZoneID.self)
    wantsAll = coder.flag("wantsAll")
  }
}

extension CKFetchSubscriptionsOperation: LongLivedOperation {
  static let archiveName = "CKFetchSubscriptionsOperation"

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(texts: started.subscriptionIDs, forKey: "subscriptionIDs")
    coder.encode(started.wantsAll, forKey: "wantsAll")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    subscriptionIDs = coder.texts("subscriptionIDs")
    wantsAll = coder.flag("wantsAll")
  }
}
