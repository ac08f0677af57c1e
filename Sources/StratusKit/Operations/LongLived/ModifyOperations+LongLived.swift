import Foundation
import StratusTransport

extension CKModifyRecordZonesOperation: LongLivedOperation {
  static let archiveName = "CKModifyRecordZonesOperation"

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.recordZonesToSave, forKey: "recordZonesToSave")
    coder.encode(list: started.recordZoneIDsToDelete, forKey: "recordZoneIDsToDelete")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordZonesToSave = coder.list("recordZonesToSave", of: CKRecordZone.self)
    recordZoneIDsToDelete = coder.list("recordZoneIDsToDelete", of: CKRecordZoneID.self)
  }
}

extension CKModifySubscriptionsOperation: LongLivedOperation {
  static let archiveName = "CKModifySubscriptionsOperation"

  private static let classes: [AnyClass] = [
    NSArray.self, CKDatabaseSubscription.self, CKQuerySubscription.self,
    CKRecordZoneSubscription.self,
  ]

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.subscriptionsToSave, forKey: "subscriptionsToSave")
    coder.encode(texts: started.subscriptionIDsToDelete, forKey: "subscriptionIDsToDelete")
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    if coder.containsValue(forKey: "subscriptionsToSave") {
      let list = coder.decodeObject(of: Self.classes, forKey: "subscriptionsToSave") as? NSArray
      subscriptionsToSave = list?.compactMap { $0 as? CKSubscription }
    }
    subscriptionIDsToDelete = coder.texts("subscriptionIDsToDelete")
  }
}
