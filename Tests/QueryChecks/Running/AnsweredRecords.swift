import StratusDomain
import StratusWire

/// The matches according to the naive evaluator.
struct NaiveAnswer {
  /// Records that the answer must contain.
  var certain: [RecordPlace: ModelRecord] = [:]
  /// The number of records that the answer may contain, depending on rounding.
  var openCount = 0

  var countRange: ClosedRange<Int> { certain.count...(certain.count + openCount) }

  init(_ query: QueryCase, _ naive: NaiveQuery, in model: Model) {
    for record in model.records(in: query.database, zone: query.zoneAsked) {
      switch naive.matches(record) {
      case .no: continue
      case .open: openCount += 1
      case .yes: certain[RecordPlace(zone: record.zone, name: record.name)] = record
      }
    }
  }
}

/// The records in all pages of a query so far.
struct AnsweredRecords {
  struct Item {
    var place: RecordPlace
    var page: Int
    /// The record's state when its page was read.
    var record: ModelRecord
  }

  var all: [Item] = []

  /// Checks all pages together, after the last one.
  ///
  /// - Throws: ``Mismatch``.
  func check(_ expected: NaiveAnswer, _ naive: NaiveQuery, world: World) throws {
    let touched = world.touched
    var seen: [RecordPlace: Item] = [:]
    for item in all {
      guard let earlier = seen.updateValue(item, forKey: item.place) else { continue }
      let mayReturn =
        touched.contains(item.place)
        && (naive.sorts.isEmpty || !earlier.record.holdsTheSame(as: item.record)
          || world.deletedZones.contains(item.place.zone))
      if !mayReturn {
        throw Mismatch("\(item.place) is on page \(earlier.page) and on page \(item.page)")
      }
    }
    for (place, record) in expected.certain where seen[place] == nil && !touched.contains(place) {
      throw Mismatch("missing \(place): \(record)")
    }
    // NB: another check, for each page, finds records that do not match the query. This one checks
    // only that records that were not changed meanwhile are in order across all pages.
    var previous: Item?
    for item in all where !touched.contains(item.place) {
      if let previous, naive.order(previous.record, item.record) == .behind {
        throw Mismatch(
          "\(item.record) of page \(item.page) stands behind \(previous.record) of "
            + "page \(previous.page)")
      }
      previous = item
    }
  }
}

extension ModelRecord {
  /// Whether no sort order can distinguish the two states.
  ///
  /// NB: the server orders records that compare equal. That order can depend on any value, so any
  /// change can move such a record.
  fileprivate func holdsTheSame(as other: ModelRecord) -> Bool {
    fields == other.fields && parent == other.parent && modifier == other.modifier
      && modificationDate == other.modificationDate && creationDate == other.creationDate
  }
}

extension RecordDictionary {
  /// Compares a record of an answer with the saved one.
  ///
  /// - Throws: ``Mismatch``.
  func require(_ own: ModelRecord, desiredKeys: [String]?) throws {
    guard recordType == own.type, created.timestamp == own.creationDate,
      modified.timestamp == own.modificationDate, created.userRecordName == own.creator,
      modified.userRecordName == own.modifier, parentRecordName == own.parent
    else { throw Mismatch("a record's system fields are not as saved: \(own)") }
    let values = try fields.values()
    let wanted = own.fields.filter { desiredKeys?.contains($0.key) ?? true }
    guard Set(values.map(\.key)) == Set(wanted.keys) else {
      throw Mismatch("fields \(values.map(\.key)), expected \(wanted.keys.sorted())")
    }
    for (key, value) in values where wanted[key].map({ !value.isAsSaved($0) }) ?? true {
      throw Mismatch("field \(key) is \(value), expected \(String(describing: wanted[key]))")
    }
  }
}

extension FieldValue {
  /// Equality, apart from the zone that the server adds to references.
  fileprivate func isAsSaved(_ saved: FieldValue) -> Bool {
    switch (self, saved) {
    case (.reference(let own), .reference(let saved)):
      own.recordName.utf8.elementsEqual(saved.recordName.utf8)
    case (.string(let own), .string(let saved)): own.utf8.elementsEqual(saved.utf8)
    case (.list(_, let own), .list(_, let saved)):
      own.count == saved.count && zip(own, saved).allSatisfy { $0.isAsSaved($1) }
    default: self == saved
    }
  }
}
