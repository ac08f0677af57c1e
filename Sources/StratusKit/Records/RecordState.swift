import Foundation

/// The properties of a record that the server sets.
struct SystemFields {
  var changeTag: String?
  var creationDate: Date?
  var creatorUserRecordID: CKRecord.ID?
  var modificationDate: Date?
  var lastModifiedUserRecordID: CKRecord.ID?
  var modifiedByDevice: String?
  /// The share whose root is this record.
  var share: CKReference?
  /// The text that identifies the share in its URL.
  var shortGUID: String?
}

/// The contents of a record, and the differences from the last known server version.
struct RecordState {
  let recordType: String
  let recordID: CKRecord.ID
  var system = SystemFields()
  var values = FieldTable<StoredValue>()
  /// The values that the changed keys have on the server. A changed key without an entry has no
  /// value on the server.
  var originals = FieldTable<StoredValue>()
  /// The changed keys, each with the number of the edit that changed it last.
  var changes = FieldTable<Int>()
  var encrypted = EncryptedFields()
  /// The contents that only a share has; nil if the record is not a share.
  var sharing: ShareContents?
  var parent: CKReference?
  var originalParent: CKReference?
  /// The number of the edit that changed the parent; nil if the parent is unchanged.
  var parentChange: Int?
  var editsCount = 0
  /// The number of edits that a save has included, whether or not it succeeded.
  var sentEditsCount = 0

  init(recordType: String, recordID: CKRecord.ID) {
    self.recordType = recordType
    self.recordID = recordID
  }

  mutating func set(_ value: StoredValue?, for key: String) {
    editsCount += 1
    if changes[key] == nil { originals[key] = values[key] }
    values[key] = value
    changes[key] = value == nil && isUnseen ? nil : editsCount
    if isUnseen { originals[key] = nil }
  }

  mutating func setEncrypted(_ value: StoredValue?, for key: String) {
    editsCount += 1
    encrypted.set(value, for: key, edit: editsCount, isUnseen: isUnseen)
  }

  /// Whether the server has never received the record. If so, a removed key need not be removed on
  /// the server.
  private var isUnseen: Bool { system.changeTag == nil && sentEditsCount == 0 }

  mutating func set(parent: CKReference?) {
    editsCount += 1
    if parentChange == nil { originalParent = self.parent }
    self.parent = parent
    parentChange = editsCount
  }

  /// Updates the state after a successful save. The saved edits no longer count as changes, but
  /// later edits still do.
  mutating func settle(_ save: RecordSave) {
    changes = changes.filter { $0.value > save.editsCount }
    originals = FieldTable()
    for key in changes.keys { originals[key] = save.values[key] }
    encrypted.settle(save)
    if let edit = parentChange, edit > save.editsCount {
      originalParent = save.parent
    } else {
      parentChange = nil
      originalParent = nil
    }
  }

  /// A copy that shares no mutable objects with this state.
  var independent: RecordState {
    var state = self
    state.sharing = sharing?.independent
    return state
  }

  /// The last known server version of the record; nil if there is none.
  var ancestor: RecordState? {
    guard system.changeTag != nil else { return nil }
    var state = self
    for key in changes.keys { state.values[key] = originals[key] }
    if parentChange != nil { state.parent = originalParent }
    state.encrypted = encrypted.ancestor
    state.sharing = sharing?.ancestor
    state.changes = FieldTable()
    state.originals = FieldTable()
    state.parentChange = nil
    state.originalParent = nil
    return state
  }
}
