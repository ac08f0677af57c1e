import Foundation

/// What the server alone knows and says of a record.
struct SystemFields {
  var changeTag: String?
  var creationDate: Date?
  var creatorUserRecordID: CKRecord.ID?
  var modificationDate: Date?
  var lastModifiedUserRecordID: CKRecord.ID?
  var modifiedByDevice: String?
  /// The share that the record is the root of.
  var share: CKReference?
  /// Names the share in its URL.
  var shortGUID: String?
}

/// What a record holds, and how that differs from what the server was last known to hold.
struct RecordState {
  let recordType: String
  let recordID: CKRecord.ID
  var system = SystemFields()
  var values = FieldTable<StoredValue>()
  /// What the server holds of changed keys; a changed key that is absent has no value there.
  var originals = FieldTable<StoredValue>()
  /// The changed keys, each with the number of the edit that changed it last.
  var changes = FieldTable<Int>()
  var encrypted = EncryptedFields()
  var parent: CKReference?
  var originalParent: CKReference?
  /// The number of the edit that changed the parent; nil: it is as the server has it.
  var parentChange: Int?
  var editsCount = 0
  /// How many edits a save has taken along, whether or not it succeeded.
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

  /// NB: of a record the server has never seen, a removed key needs no removing.
  private var isUnseen: Bool { system.changeTag == nil && sentEditsCount == 0 }

  mutating func set(parent: CKReference?) {
    editsCount += 1
    if parentChange == nil { originalParent = self.parent }
    self.parent = parent
    parentChange = editsCount
  }

  /// Takes in that a save succeeded: what it took along is no change any more, later edits are.
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

  /// The record as the server was last known to hold it; nil if it never was.
  var ancestor: RecordState? {
    guard system.changeTag != nil else { return nil }
    var state = self
    for key in changes.keys { state.values[key] = originals[key] }
    if parentChange != nil { state.parent = originalParent }
    state.encrypted = encrypted.ancestor
    state.changes = FieldTable()
    state.originals = FieldTable()
    state.parentChange = nil
    state.originalParent = nil
    return state
  }
}
