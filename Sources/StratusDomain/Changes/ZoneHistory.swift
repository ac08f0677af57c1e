import StratusWire

/// Reads one zone's history a page at a time.
struct ZoneHistory {
  let database: OpenDatabase
  let store: any StoreReading

  /// The next page behind a token.
  ///
  /// - Throws: `ZONE_NOT_FOUND`; `BAD_REQUEST` for the default zone and for tokens that are stale
  ///   or none of ours.
  func page(
    _ zoneID: ZoneID, since text: String?, selection: ChangesSelection, limit: Int,
    sizeBytesMax: Int
  ) throws(ServerError) -> ZoneChanges {
    let address = try database.zoneAddress(zoneID)
    if address.isDefault { throw .badRequest(Reason.changesInDefaultZone) }
    let access = try database.access(to: address, of: store)
    guard let zone = access.zone else { throw .fault("a zone with a history has no row") }
    let cursor = try HistoryCursor(
      token: text, zone: zone, epoch: store.epoch(of: zone.database),
      isReversed: selection.isReversed)
    let shown = try store.recordChanges(
      in: zone, range: cursor.range, newestFirst: cursor.isReversed, limit: limit,
      sizeBytesMax: sizeBytesMax)
    let isComplete =
      if let last = shown.last { cursor.isLast(last.change) } else { true }
    let next = cursor.next(afterReading: shown.last?.change, isComplete: isComplete)
    return ZoneChanges(
      zoneID: access.id,
      records: try present(
        shown, of: access, selection: selection, isFromNothing: cursor.isFromNothing),
      syncToken: next.text, moreComing: !isComplete,
      clientChangeToken: zone.clientChangeToken)
  }

  private func present(
    _ records: [StoredRecord], of access: ZoneAccess, selection: ChangesSelection,
    isFromNothing: Bool
  ) throws(ServerError) -> [RecordItem] {
    let presenter = RecordPresenter(access.address, in: database)
    var items: [RecordItem] = []
    items.reserveCapacity(records.count)
    for record in records {
      // A reader that starts from nothing has nothing to delete, unless it wrote to the zone before
      // its first fetch, as the framework's clients may.
      if record.isDeleted, isFromNothing, !selection.showsDeletedRecordTypes { continue }
      if let types = selection.desiredRecordTypes, !types.contains(record.type) { continue }
      items.append(
        try presenter.item(
          record, selection: selection.fields,
          showsDeletedType: selection.showsDeletedRecordTypes))
    }
    return items
  }
}

/// Where a reader stands in a zone's history, and which way it reads.
struct HistoryCursor {
  private let zone: StoredZone
  private let epoch: Int64
  /// Known to the reader before this run: reading starts behind it.
  private let since: Int64
  private let before: Int64
  private let top: Int64
  private let began: Int64
  let isReversed: Bool

  /// - Throws: `BAD_REQUEST`; see ``ChangeToken/check(epoch:incarnation:newest:forgotten:)``.
  init(
    token text: String?, zone: StoredZone, epoch: Int64, isReversed: Bool
  ) throws(ServerError) {
    self.zone = zone
    self.epoch = epoch
    var since: Int64 = 0
    var before = zone.change
    var top = zone.change
    var began = zone.change
    var isReversed = isReversed
    if let text {
      let token = try ChangeToken(text: text)
      try token.check(
        epoch: epoch, incarnation: zone.id, newest: zone.change,
        forgotten: zone.newestForgotten)
      (since, began) = (token.change, token.began)
      switch token.subject {
      case .zone: break
      case .reversedZone: (before, top, isReversed) = (token.before, token.top, true)
      case .database, .notifications: throw .badRequest(Reason.syncTokenInvalid)
      }
    }
    isFromNothing = text == nil
    (self.since, self.before, self.top, self.isReversed) = (since, before, top, isReversed)
    self.began = began
  }

  /// Whether the reader brings no token.
  ///
  /// NB: a token of a zone without changes is not the same: its bearer may have written since, and
  /// wants to hear of deletions.
  let isFromNothing: Bool

  var range: ChangeRange { ChangeRange(after: since, through: isReversed ? before : zone.change) }

  /// Whether nothing is left once this change is read.
  ///
  /// NB: numbers have gaps (a record's earlier changes), so reading backwards the end may be known
  /// only by an empty page; forwards, only if a zone's newest change is a forgotten deletion.
  func isLast(_ change: Int64) -> Bool {
    isReversed ? change <= since + 1 : change >= zone.change
  }

  /// The token that leads on.
  func next(afterReading change: Int64?, isComplete: Bool) -> ChangeToken {
    var token = ChangeToken(
      subject: .zone, epoch: epoch, incarnation: zone.id, change: zone.change)
    if isReversed {
      token.change = isComplete ? top : since
      if !isComplete, let change {
        token.subject = .reversedZone
        token.before = change - 1
        token.top = top
        token.began = began
      }
    } else if let change, !isComplete {
      token.change = change
      token.began = began
    }
    return token
  }
}
