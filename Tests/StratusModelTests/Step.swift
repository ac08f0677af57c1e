import CloudKit

/// Identifies a record of a sequence by two small numbers: its zone, and its number in the zone.
struct RecordKey: Hashable, Sendable {
  /// 0 is the default zone; the other numbers are custom zones.
  let zone: Int
  let name: Int
}

/// The value of a field.
enum Value: Hashable, Sendable {
  case text(String)
  case number(Int)
  case real(Double)
  /// Milliseconds since 1970 UTC.
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

  /// The value that a field of this kind stores; nil: the field cannot store it.
  ///
  /// A whole number fits a floating-point field if no digit is lost (wire-quirks A15).
  func kept(as kind: Kind) -> Value? {
    if case .number(let number) = self, kind == .real {
      return Double(exactly: number).map(Value.real)
    }
    return kind == self.kind ? self : nil
  }
}

/// A record to save: its origin, and the values that are set in it.
struct Edit: Sendable {
  /// The copy that is edited.
  enum Origin: Sendable {
    /// The device's current copy, or a new record.
    case held
    /// The device's earlier copy, or a new record.
    case older
    /// A record that the device creates without asking the server.
    case fresh
  }

  let key: RecordKey
  let origin: Origin
  /// The type of a new record.
  let type: Int
  /// Field number → its new value; nil clears the field.
  var sets: [Int: Value?]
  /// The change of the record's parent, which is in the same zone.
  var parent: ParentEdit = .unchanged
}

/// The change that an edit makes to a record's parent.
enum ParentEdit: Hashable, Sendable {
  case unchanged, removed
  case set(name: Int)
}

/// Saves and deletes that are sent to the server together.
struct Modification: Sendable {
  /// The part of the framework's API that sends the modification.
  enum Form: Sendable { case single, convenience, operation }

  var edits: [Edit]
  var deletions: [RecordKey]
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  let isAtomic: Bool
  let form: Form
  /// Whether the device takes over the server's record after a conflict.
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
  /// Reads the changes of both custom zones by one operation.
  case followZones(device: Int, limit: Int?)
  /// Reads pages of the database's changes. If `pages` is nil, reads all pages.
  case followDatabase(device: Int, limit: Int?, pages: Int?)
  /// Reads a zone from its beginning with some fields only. The device's copies do not change.
  case peek(device: Int, zone: Int, limit: Int?, desiredKeys: [Int])
  /// Discards the device's feed of a zone.
  case forget(device: Int, zone: Int)
  /// Goes back to an earlier token, and to the records that the device knew at this token.
  case rewind(device: Int, zone: Int)
}
