import StratusWire

/// Converts stored records of one zone into records as a client sees them. The presenter does not
/// check permissions. Code that uses it must first check them with ``ZoneAccess``.
struct RecordPresenter {
  private let zoneID: ZoneID
  private let assets: AssetLinks
  private let files: (any AssetReading)?
  private let owner: String?
  private let reader: String?
  private let database: OpenDatabase

  /// - Parameter files: see ``AssetLinks/downloadURL(checksum:files:)``.
  init(_ address: ZoneAddress, in database: OpenDatabase, files: (any AssetReading)?) {
    zoneID = address.id
    assets = database.assets(of: address.database)
    self.files = files
    owner = address.database.owner
    reader = database.caller.userRecordName
    self.database = database
  }

  /// - Throws: `INTERNAL_ERROR` if the stored text cannot be read.
  func item(
    _ record: StoredRecord, selection: FieldSelection = .all, showsDeletedType: Bool = false
  ) throws(ServerError) -> RecordItem {
    if record.isDeleted {
      return .deleted(
        Tombstone(
          recordName: record.name, zoneID: zoneID,
          recordType: showsDeletedType ? record.type : nil))
    }
    return .record(try dictionary(record, selection: selection))
  }

  func dictionary(
    _ record: StoredRecord, selection: FieldSelection = .all
  ) throws(ServerError) -> RecordDictionary {
    var fields = try record.fieldsWithoutSharing().presented(selection)
    if record.hasAssets { fields = try fields.presented(with: assets, files) }
    var dictionary = RecordDictionary(
      recordName: record.name, recordType: record.type,
      fields: fields,
      recordChangeTag: record.tag, created: record.created, modified: record.modified,
      zoneID: zoneID, parentRecordName: record.parentRecordName)
    if record.hasSharing { try addSharing(of: record, to: &dictionary) }
    return dictionary
  }

  /// Adds the data of a share that the reader may see, to the share record or to its root record.
  private func addSharing(
    of record: StoredRecord, to dictionary: inout RecordDictionary
  ) throws(ServerError) {
    guard let owner else { return }
    let host = database.caller.serverHost
    if let state = try record.shareState() {
      dictionary.parentRecordName = nil
      dictionary.shortGUID = state.shortGUID
      dictionary.displayedHostname = host
      dictionary.sharing = ShareView(state: state, owner: owner, reader: reader).details
    } else if let mark = try record.shareMark(), mark.shareRecordName != nil || reader == owner {
      dictionary.shareRecordName = mark.shareRecordName
      dictionary.shortGUID = mark.shortGUID
      dictionary.displayedHostname = host
      // The parent of the root does not belong to the share.
      if reader != owner { dictionary.parentRecordName = nil }
    }
  }
}

extension FieldsJSON {
  /// Adds the download URLs of files. The URLs are made when a record is read.
  fileprivate func presented(
    with assets: AssetLinks, _ files: (any AssetReading)?
  ) throws(ServerError) -> FieldsJSON {
    var failure: ServerError?
    let shown: FieldsJSON
    do throws(WireError) {
      shown = try replacingAssets { asset in
        do throws(ServerError) { return try assets.shown(asset, files: files) } catch {
          failure = error
          return asset
        }
      }
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
    if let failure { throw failure }
    return shown
  }

  fileprivate func presented(_ selection: FieldSelection) throws(ServerError) -> FieldsJSON {
    do {
      return try presented(
        desiredKeys: selection.desiredKeys, numbersAsStrings: selection.numbersAsStrings)
    } catch {
      throw .fault("stored fields cannot be read", facts: ["reason": error.reason])
    }
  }
}
