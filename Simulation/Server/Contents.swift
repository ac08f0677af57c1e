import StratusDomain
import StratusWire

/// The name of a record and of its zone.
struct RecordKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  var zone: String
  var name: String

  var description: String { "\(zone)/\(name)" }

  /// Whether no device ever deletes the record. All marks that were written into such a record must
  /// be kept.
  var isKept: Bool { zone == Self.keptZone && name.hasPrefix("keep") }

  static let keptZone = "Home"

  static func < (left: RecordKey, right: RecordKey) -> Bool {
    (left.zone, left.name) < (right.zone, right.name)
  }
}

/// The contents of a store or a device: its zones, and the marks that were written into each
/// record.
struct Contents: Sendable, Equatable {
  var zones: Set<String> = []
  var records: [RecordKey: Set<Int64>] = [:]

  init() {}

  init(zones: Set<String>, records: [RecordKey: Set<Int64>]) {
    self.zones = zones
    self.records = records
  }

  /// Reads the contents of a store for a user.
  init(of user: String, in store: any StoreReading) throws(ServerError) {
    let database = DatabaseKey.private(owner: user)
    for zone in try store.zones(in: database, after: nil, limit: 1_000) {
      if zone.name == ZoneID.defaultZoneName { continue }
      zones.insert(zone.name)
      let found = try store.recordChanges(
        in: zone, range: ChangeRange(after: 0, through: .max), newestFirst: false,
        limit: 100_000, sizeBytesMax: .max)
      for record in found where !record.isDeleted {
        records[RecordKey(zone: zone.name, name: record.name)] = Marks.read(record.fields)
      }
    }
  }

  /// Returns the first difference from other contents, as a text, or nil if there is none.
  func difference(to other: Contents, called name: String) -> String? {
    if zones != other.zones {
      return "zones \(zones.sorted()) here, \(other.zones.sorted()) at \(name)"
    }
    for key in Set(records.keys).union(other.records.keys).sorted() {
      let (mine, theirs) = (records[key], other.records[key])
      if mine == theirs { continue }
      return """
        \(key) is \(Self.text(mine)) here, \(Self.text(theirs)) at \(name)
        """
    }
    return nil
  }

  private static func text(_ marks: Set<Int64>?) -> String {
    marks.map { "\($0.sorted())" } ?? "not there"
  }
}

/// The field that every record of the simulation has. It is a list of numbers, each of which was
/// written once.
enum Marks {
  static let recordType = "Note"
  static let field = "marks"

  static func fields(_ marks: Set<Int64>) -> FieldsJSON {
    FieldsJSON([(field, .list(.int64, marks.sorted().map { .int64($0) }))])
  }

  static func read(_ fields: FieldsJSON) -> Set<Int64> {
    guard let value = try? fields.values(of: [field])[field], case .list(_, let items) = value
    else { return [] }
    return Set(
      items.compactMap { item in
        if case .int64(let mark) = item { mark } else { nil }
      })
  }
}
