import CloudKit

/// Identifies a record in a test's sequence of steps, by the number of its zone and by its own
/// number in the zone.
struct RecordKey: Hashable, Sendable {
  /// The default zone has the number 0. The other numbers are custom zones.
  let zone: Int
  let name: Int
}

/// The value of a field.
enum Value: Hashable, Sendable {
  case text(String)
  case number(Int)
  case real(Double)
  /// The time in milliseconds since 1970 UTC.
  case date(Int)
  case bytes([UInt8])
  case texts([String])
  /// Refers by `deleteSelf` to a record of the same zone.
  case reference(name: Int)

  /// The field type in the schema.
  enum Kind: Int, CaseIterable, Sendable { case text, number, real, date, bytes, reference, texts }

  var kind: Kind {
    switch self {
    case .text: .text
    case .number: .number
    case .real: .real
    case .date: .date
    case .bytes: .bytes
    case .texts: .texts
    case .reference: .reference
    }
  }

  /// The value that a field of this kind stores, or nil if the field cannot store it.
  ///
  /// A whole number fits a floating-point field if no digit is lost.
  func kept(as kind: Kind) -> Value? {
    if case .number(let number) = self, kind == .real {
      return Double(exactly: number).map(Value.real)
    }
    return kind == self.kind ? self : nil
  }
}

/// A record to save: the copy that is edited, and the changes.
struct Edit: Sendable {
  /// The copy that is edited.
  enum Origin: Sendable {
    /// The device's current copy, or a new record if the device has no copy.
    case held
    /// The device's earlier copy, or a new record if the device has no earlier copy.
    case older
    /// A record that the device creates without a fetch from the server.
    case fresh
  }

  let key: RecordKey
  let origin: Origin
  /// The type of a new record.
  let type: Int
  /// For each field number, the new value. A nil value clears the field.
  var sets: [Int: Value?]
  /// The change of the record's parent. The parent is in the same zone.
  var parent: ParentEdit = .unchanged
}

/// The change that an edit makes to a record's parent.
enum ParentEdit: Hashable, Sendable {
  case unchanged, removed
  case set(name: Int)
}

/// The saves and deletions that a device sends with one call of the framework.
struct Modification: Sendable {
  /// The method or operation of the framework that sends the modification.
  enum Form: Sendable { case single, convenience, operation }

  var edits: [Edit]
  var deletions: [RecordKey]
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  let isAtomic: Bool
  let form: Form
  /// Whether the device replaces its copy with the server's record after a conflict.
  let adoptsConflicts: Bool
}

/// An action of a device.
enum Step: Sendable {
  case saveZone(device: Int, zone: Int)
  case deleteZone(device: Int, zone: Int)
  case modify(device: Int, Modification)
  case fetch(device: Int, [RecordKey], desiredKeys: [Int]?)
  /// Reads pages of a zone's changes. If `pages` is nil, reads all pages.
  case followZone(device: Int, zone: Int, limit: Int?, pages: Int?)
  /// Reads the changes of both custom zones with one operation.
  case followZones(device: Int, limit: Int?)
  /// Reads pages of the database's changes. If `pages` is nil, reads all pages.
  case followDatabase(device: Int, limit: Int?, pages: Int?)
  /// Reads a zone from its beginning with some fields. The device's copies do not change.
  case peek(device: Int, zone: Int, limit: Int?, desiredKeys: [Int])
  /// Discards the device's position in a zone's history.
  case forget(device: Int, zone: Int)
  /// Goes back to an earlier token and to the records that the device had at this token.
  case rewind(device: Int, zone: Int)
}
