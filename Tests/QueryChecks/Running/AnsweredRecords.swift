import StratusDomain
import StratusWire

/// The records that match a query according to the naive evaluator.
struct NaiveAnswer {
  /// The records that the answer must contain.
  var certain: [RecordPlace: ModelRecord] = [:]
  /// The number of records for which rounding decides whether the answer contains them.
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

/// The records of all pages of a query so far.
struct AnsweredRecords {
  struct Item {
    var place: RecordPlace
    var page: Int
    /// The state of the record when its page was read.
    var record: ModelRecord
  }

  var all: [Item] = []

  /// Checks the records of all pages together after the last page.
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
    // NB: ``CaseCheck`` checks for each page that its records match the query. Here only the order
    // is checked. Records that were changed between the pages are ignored.
    var previous: Item?
    for item in all where !touched.contains(item.place) {
      if let previous, naive.order(previous.record, item.record) == .behind {
        throw Mismatch(
          "\(item.record) of page \(item.page) wrongly follows \(previous.record) of "
            + "page \(previous.page)")
      }
      previous = item
    }
  }
}

extension ModelRecord {
  /// Whether another state of the same record has the same place in every sort order.
  ///
  /// NB: the server also orders records that the sort fields cannot distinguish. That order can
  /// depend on any value, so any change can move a record.
  fileprivate func holdsTheSame(as other: ModelRecord) -> Bool {
    fields == other.fields && parent == other.parent && modifier == other.modifier
      && modificationDate == other.modificationDate && creationDate == other.creationDate
  }
}

extension RecordDictionary {
  /// Compares a record in an answer with the saved record.
  ///
  /// - Throws: ``Mismatch``.
  func require(_ own: ModelRecord, desiredKeys: [String]?) throws {
    guard recordType == own.type, created.timestamp == own.creationDate,
      modified.timestamp == own.modificationDate, created.userRecordName == own.creator,
      modified.userRecordName == own.modifier, parentRecordName == own.parent
    else { throw Mismatch("the system fields of a record differ from the saved ones: \(own)") }
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
  /// Whether two values are equal. The zone that the server adds to references is ignored.
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
