import StratusWire

/// The checks of the roots of new shares.
extension ShareBatch {
  /// Checks the root of a new share and returns its name. Returns nil for a share of a whole zone.
  mutating func root(
    of operation: RecordOperation, named name: String, in zone: StoredZone,
    _ store: any StoreReading
  ) throws(ServerError) -> String? {
    guard name != ShareRecord.zoneShareName else {
      if try !store.sharedRoots(in: zone, after: nil, limit: 1).isEmpty || !newRoots.isEmpty {
        throw .badRequest(Reason.recordsAlreadyShared)
      }
      return nil
    }
    guard let root = operation.share?.rootRecordName else {
      throw .badRequest(Reason.shareNeedsRoot)
    }
    let isZoneShared = try store.shareLink(ofRoot: nil, in: zone)?.shareName != nil
    if isZoneShared || saves[ShareRecord.zoneShareName] != nil {
      throw .badRequest(Reason.zoneAlreadyShared)
    }
    let exact = ExactName(root)
    var stored = snapshot.records[root]
    if stored == nil {
      stored = try store.records(named: [root], in: zone)[root]
      // A record that counts as deleted cannot be shared any more.
      if let found = stored,
        try !PendingDeletions.among([exact: found], in: zone, schema: snapshot.schema, of: store)
          .isEmpty
      {
        stored = nil
      }
    }
    if saves[exact] == nil {
      guard let stored, !isDeleted(exact) else { throw .badRequest(Reason.shareRootMissing) }
      if let tag = operation.share?.rootRecordChangeTag, tag != stored.tag {
        throw ServerError(.conflict, Reason.conflict)
      }
    }
    if stored?.type == ShareRecord.recordType || exact == ExactName(name) {
      throw .badRequest(Reason.shareRootMissing)
    }
    if try stored?.shareMark()?.shareRecordName != nil || newRoots.contains(exact) {
      throw .badRequest(Reason.recordAlreadyShared)
    }
    if survey == nil {
      survey = try HierarchySurvey(of: zone, parents: parents, in: store)
    }
    switch try survey?.add(exact, in: store) {
    case .free, nil: return root
    case .belowRoot: throw .badRequest(Reason.ancestorShared)
    case .aboveRoot: throw .badRequest(Reason.descendantShared)
    }
  }

  private func isDeleted(_ name: ExactName) -> Bool {
    operations.contains { operation in
      operation.isDeletion && operation.recordName.map(ExactName.init) == name
    }
  }
}

extension [ExactName: Int] {
  fileprivate subscript(name: String) -> Int? { self[ExactName(name)] }
}
