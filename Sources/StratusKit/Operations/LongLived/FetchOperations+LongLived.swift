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
    coder.encode(list: recordIDs, forKey: Key.recordIDs)
    coder.encode(texts: desiredKeys, forKey: Key.desiredKeys)
    coder.encode(wantsCurrentUser, forKey: Key.wantsCurrentUser)
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
    coder.encode(present: query, forKey: Key.query)
    coder.encode(present: cursor, forKey: Key.cursor)
    coder.encode(present: zoneID, forKey: Key.zoneID)
    coder.encode(resultsLimit, forKey: Key.limit)
    coder.encode(texts: desiredKeys, forKey: Key.desiredKeys)
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
    coder.encode(list: recordZoneIDs, forKey: "recordZoneIDs")
    coder.encode(wantsAll, forKey: "wantsAll")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordZoneIDs = coder.list("recordZoneIDs", of: CKRecordZoneID.self)
    wantsAll = coder.flag("wantsAll")
  }
}

extension CKFetchSubscriptionsOperation: LongLivedOperation {
  static let archiveName = "CKFetchSubscriptionsOperation"

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    coder.encode(texts: subscriptionIDs, forKey: "subscriptionIDs")
    coder.encode(wantsAll, forKey: "wantsAll")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    subscriptionIDs = coder.texts("subscriptionIDs")
    wantsAll = coder.flag("wantsAll")
  }
}
