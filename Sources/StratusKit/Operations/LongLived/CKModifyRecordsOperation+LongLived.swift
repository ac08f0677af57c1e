import Foundation
import StratusTransport

extension CKModifyRecordsOperation: LongLivedOperation {
  static let archiveName = "CKModifyRecordsOperation"

  private enum Key {
    static let records = "recordsToSave"
    static let recordIDs = "recordIDsToDelete"
    static let policy = "savePolicy"
    static let isAtomic = "isAtomic"
    static let token = "clientChangeTokenData"
    static let files = "files"
  }

  func write(to coder: NSCoder, keeping files: SavedOperation) {
    let started = started
    coder.encode(list: started.recordsToSave, forKey: Key.records)
    coder.encode(list: started.recordIDsToDelete, forKey: Key.recordIDs)
    coder.encode(started.savePolicy.rawValue, forKey: Key.policy)
    coder.encode(started.isAtomic, forKey: Key.isAtomic)
    coder.encode(present: started.clientChangeTokenData.map(NSData.init(data:)), forKey: Key.token)
    // The files are copied, because an app may delete its files after the operation is saved.
    var names: [String] = []
    for asset in assets {
      let isToSend = asset.held == nil
      let name =
        isToSend ? asset.fileURL.flatMap { files.keep(file: $0, number: names.count) } : nil
      names.append(name ?? "")
    }
    coder.encode(texts: names, forKey: Key.files)
  }

  func read(from coder: NSCoder, with files: SavedOperation) {
    recordsToSave = coder.list(Key.records, of: CKRecord.self)
    recordIDsToDelete = coder.list(Key.recordIDs, of: CKRecordID.self)
    savePolicy =
      coder.integer(Key.policy).flatMap(RecordSavePolicy.init(rawValue:))
      ?? .ifServerRecordUnchanged
    isAtomic = coder.flag(Key.isAtomic)
    clientChangeTokenData = coder.data(Key.token)
    for (asset, name) in zip(assets, coder.texts(Key.files) ?? []) where !name.isEmpty {
      asset.receive(files.file(named: name))
    }
  }

  /// All assets of the records to save, in a stable order.
  private var assets: [CKAsset] {
    (started.recordsToSave ?? []).flatMap(\.assetsByKey)
  }
}

extension CKRecord {
  /// The record's assets, in the order of its keys.
  fileprivate var assetsByKey: [CKAsset] {
    withState { state in
      state.values.flatMap { field -> [CKAsset] in
        if let asset = field.value as? CKAsset { return [asset] }
        return (field.value as? NSArray)?.compactMap { $0 as? CKAsset } ?? []
      }
    }
  }
}
