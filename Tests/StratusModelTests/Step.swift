import CloudKit

/// Names a record of a sequence: a zone and a place in it, both small numbers.
struct RecordKey: Hashable, Sendable {
  /// 0 is the default zone, the others are custom ones.
  let zone: Int
  let name: Int
}

/// The value of a field.
enum Value: Hashable, Sendable {
  case text(String)
  case number(Int)
  case real(Double)
  /// Milliseconds since 1970.
  case date(Int)
  case bytes([UInt8])
  case texts([String])
  /// Leads by `deleteSelf` to a record of the same zone.
  case reference(name: Int)

  /// What the schema remembers of a field.
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

  /// The value as a field of that kind keeps it; nil: it cannot.
  ///
  /// A whole number fits a field of real ones if no digit is lost (wire-quirks A15).
  func kept(as kind: Kind) -> Value? {
    if case .number(let number) = self, kind == .real {
      return Double(exactly: number).map(Value.real)
    }
    return kind == self.kind ? self : nil
  }
}

/// A record to save: what it is made from, and what is set in it.
struct Edit: Sendable {
  /// The copy that is edited.
  enum Origin: Sendable {
    /// The one the device holds, else a new one.
    case held
    /// The one the device held before, else a new one.
    case older
    /// A record that the device makes without having asked the server.
    case fresh
  }

  let key: RecordKey
  let origin: Origin
  /// Of a new record.
  let type: Int
  /// Field number → its new value; nil clears the field.
  var sets: [Int: Value?]
  /// What becomes of its parent, a record of the same zone.
  var parent: ParentEdit = .unchanged
}

/// What an edit does to a record's parent.
enum ParentEdit: Hashable, Sendable {
  case unchanged, removed
  case set(name: Int)
}

/// Saves and deletes that go to the server together.
struct Modification: Sendable {
  /// Which part of the framework's API carries it.
  enum Form: Sendable { case single, convenience, operation }

  var edits: [Edit]
  var deletions: [RecordKey]
  let policy: CKModifyRecordsOperation.RecordSavePolicy
  let isAtomic: Bool
  let form: Form
  /// Whether the device goes on with the server's record after a conflict.
  let adoptsConflicts: Bool
}

/// Something a device does.
enum Step: Sendable {
  case saveZone(device: Int, zone: Int)
  case deleteZone(device: Int, zone: Int)
  case modify(device: Int, Modification)
  case fetch(device: Int, [RecordKey], desiredKeys: [Int]?)
  /// Reads some pages of a zone's changes; nil: all there are.
  case followZone(device: Int, zone: Int, limit: Int?, pages: Int?)
  /// Reads the changes of both custom zones by one operation.
  case followZones(device: Int, limit: Int?)
  /// Reads some pages of the database's changes; nil: all there are.
  case followDatabase(device: Int, limit: Int?, pages: Int?)
  /// Reads a zone from nothing beside what the device holds, some fields only.
  case peek(device: Int, zone: Int, limit: Int?, desiredKeys: [Int])
  /// Throws away what was followed.
  case forget(device: Int, zone: Int)
  /// Goes back to an earlier token, and to what was known with it.
  case rewind(device: Int, zone: Int)
}
