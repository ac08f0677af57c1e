import CloudKit

/// The rules about records that refer to other records.
extension ModelServer {
  /// Returns the positions of the items that break a rule in a batch: saves whose parent is missing
  /// or is the record itself, and deletions of records that still have children. If one item
  /// deletes a record and another item saves a child of that record, the deletion fails and not the
  /// save.
  func faults(
    of items: [(place: Int, item: Item)],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, before: ModelServer
  ) -> Set<Int> {
    var faults: Set<Int> = []
    var kept: Set<RecordKey> = []
    let going = going(from: items.map(\.item), before: before)
    for (place, item) in items {
      guard case .delete(let key) = item, before.record(key) != nil else { continue }
      let hasChildren = zones[key.zone]?.records.contains { name, record in
        record.parent == key.name && !going.contains(RecordKey(zone: key.zone, name: name))
      }
      if hasChildren == true {
        faults.insert(place)
        kept.insert(key)
      }
    }
    for (place, item) in items {
      guard case .save(let save) = item, let parent = save.sentParent(policy) else { continue }
      let target = RecordKey(zone: save.key.zone, name: parent)
      let exists = record(target) != nil || kept.contains(target)
      if target == save.key || !exists { faults.insert(place) }
    }
    return faults
  }

  /// Deletes the records that refer by `deleteSelf` to records that the batch has deleted.
  mutating func cascade(from items: [Item], before: ModelServer) {
    for key in going(from: items, before: before) {
      guard let record = record(key) else { continue }
      remove(key, record)
    }
  }

  /// Returns the existing records that refer by `deleteSelf` to a record that a batch has deleted,
  /// or to a record that this cascade deletes.
  private func going(from items: [Item], before: ModelServer) -> Set<RecordKey> {
    var gone: Set<RecordKey> = []
    for case .delete(let key) in items where before.record(key) != nil && record(key) == nil {
      gone.insert(key)
    }
    let deleted = gone
    while true {
      let count = gone.count
      for (zone, contents) in zones {
        for (name, record) in contents.records {
          for case .reference(let target) in record.fields.values
          where gone.contains(RecordKey(zone: zone, name: target)) {
            gone.insert(RecordKey(zone: zone, name: name))
          }
        }
      }
      if gone.count == count { return gone.subtracting(deleted) }
    }
  }
}

extension ModelServer.Save {
  /// The parent that the device sends, or nil. A device sends the parent if it has changed, or if
  /// the device sends the whole record.
  func sentParent(_ policy: CKModifyRecordsOperation.RecordSavePolicy) -> Int? {
    hasChangedParent || policy == .allKeys || version == nil ? parent : nil
  }
}
