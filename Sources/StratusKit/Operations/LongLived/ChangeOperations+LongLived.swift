import Foundation
import StratusTransport

extension CKFetchDatabaseChangesOperation: LongLivedOperation {
  static let archiveName = "CKFetchDatabaseChangesOperation"

  private enum Key {
    static let token = "previousServerChangeToken"
    static let limit = "resultsLimit"
    static let fetchesAll = "fetchAllChanges"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(present: started.previousServerChangeToken, forKey: Key.token)
    coder.encode(started.resultsLimit, forKey: Key.limit)
    coder.encode(started.fetchAllChanges, forKey: Key.fetchesAll)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    previousServerChangeToken = coder.object(Key.token, of: CKServerChangeToken.self)
    resultsLimit = coder.integer(Key.limit) ?? 0
    fetchAllChanges = coder.flag(Key.fetchesAll)
  }
}

extension CKFetchRecordChangesOperation: LongLivedOperation {
  static let archiveName = "CKFetchRecordChangesOperation"

  private enum Key {
    static let zoneID = "recordZoneID"
    static let token = "previousServerChangeToken"
    static let limit = "resultsLimit"
    static let desiredKeys = "desiredKeys"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(present: started.recordZoneID, forKey: Key.zoneID)
    coder.encode(present: started.previousServerChangeToken, forKey: Key.token)
    coder.encode(started.resultsLimit, forKey: Key.limit)
    coder.encode(texts: started.desiredKeys, forKey: Key.desiredKeys)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordZoneID = coder.object(Key.zoneID, of: CKRecordZoneID.self)
    previousServerChangeToken = coder.object(Key.token, of: CKServerChangeToken.self)
    resultsLimit = coder.integer(Key.limit) ?? 0
    desiredKeys = coder.texts(Key.desiredKeys)
  }
}

extension CKFetchRecordZoneChangesOperation: LongLivedOperation {
  static let archiveName = "CKFetchRecordZoneChangesOperation"

  private enum Key {
    static let zoneIDs = "recordZoneIDs"
    static let configured = "configuredZoneIDs"
    static let configurations = "configurations"
    static let optioned = "optionedZoneIDs"
    static let options = "options"
    static let fetchesAll = "fetchAllChanges"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.recordZoneIDs, forKey: Key.zoneIDs)
    let configured = started.configurationsByRecordZoneID.map(Array.init)
    coder.encode(list: configured?.map(\.key), forKey: Key.configured)
    coder.encode(list: configured?.map(\.value), forKey: Key.configurations)
    let optioned = started.optionsByRecordZoneID.map(Array.init)
    coder.encode(list: optioned?.map(\.key), forKey: Key.optioned)
    coder.encode(list: optioned?.map(\.value), forKey: Key.options)
    coder.encode(started.fetchAllChanges, forKey: Key.fetchesAll)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordZoneIDs = coder.list(Key.zoneIDs, of: CKRecordZoneID.self)
    configurationsByRecordZoneID = coder.byZone(
      Key.configured, Key.configurations, of: CKFetchRecordZoneChangesConfiguration.self)
    optionsByRecordZoneID = coder.byZone(
      Key.optioned, Key.options, of: CKFetchRecordZoneChangesOptions.self)
    fetchAllChanges = coder.flag(Key.fetchesAll)
  }
}

extension NSCoder {
  /// Returns a dictionary from an archived list of zone IDs and an archived list of their values.
  fileprivate func byZone<Value: NSObject & NSSecureCoding>(
    _ zoneIDs: String, _ values: String, of type: Value.Type
  ) -> [CKRecordZone.ID: Value]? {
    guard let zoneIDs = list(zoneIDs, of: CKRecordZoneID.self),
      let values = list(values, of: type), zoneIDs.count == values.count
    else { return nil }
    return Dictionary(zip(zoneIDs, values)) { first, _ in first }
  }
}
