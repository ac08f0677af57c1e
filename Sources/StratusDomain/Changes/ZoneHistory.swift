import StratusWire

/// Reads the history of one zone page by page.
struct ZoneHistory {
  let database: OpenDatabase
  let store: any StoreReading

  /// A page of a zone's history.
  struct Page {
    let changes: ZoneChanges
    /// The bytes of the stored fields that were read for the page.
    let sizeBytesRead: Int
  }

  /// The page after a token.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of records; 0: none, and the page says whether there are any.
  ///   - budget: the capacity left in the answer; a record that does not fit ends the page.
  /// - Throws: `ZONE_NOT_FOUND`; `BAD_REQUEST` for the default zone, and for tokens that are stale
  ///   or not valid.
  func page(
    _ zoneID: ZoneID, since text: String?, selection: ChangesSelection, limit: Int,
    sizeBytesMax: Int, budget: inout AnswerBudget
  ) throws(ServerError) -> Page {
    let address = try database.zoneAddress(zoneID)
    if address.isDefault { throw .badRequest(Reason.changesInDefaultZone) }
    let access = try database.access(to: address, of: store)
    guard let zone = access.zone else { throw .fault("a zone with a history has no row") }
    let cursor = try HistoryCursor(
      token: text, zone: zone, epoch: store.epoch(of: zone.database),
      isReversed: selection.isReversed)
    let isRead = limit > 0 && !budget.isFull
    let found =
      isRead
      ? try store.recordChanges(
        in: zone, range: cursor.range, newestFirst: cursor.isReversed, limit: limit,
        sizeBytesMax: sizeBytesMax) : []
    let (records, count) = try present(
      found, of: access, selection: selection, isFromNothing: cursor.isFromNothing, budget: &budget)
    let last = count > 0 ? found[count - 1].change : nil
    let isComplete =
      if let last { count == found.count && cursor.isLast(last) } else {
        isRead && found.isEmpty || cursor.isAtEnd
      }
    let next = cursor.next(afterReading: last, isComplete: isComplete)
    return Page(
      changes: ZoneChanges(
        zoneID: access.id, records: records, syncToken: next.text,
        moreComing: !isComplete, clientChangeToken: zone.clientChangeToken),
      sizeBytesRead: found.reduce(0) { $0 + $1.fields.text.count })
  }

  /// - Returns: the items, and the number of records that they cover.
  private func present(
    _ records: [StoredRecord], of access: ZoneAccess, selection: ChangesSelection,
    isFromNothing: Bool, budget: inout AnswerBudget
  ) throws(ServerError) -> (items: [RecordItem], count: Int) {
    let presenter = RecordPresenter(access.address, in: database)
    var items: [RecordItem] = []
    items.reserveCapacity(records.count)
    for (index, record) in records.enumerated() {
      // A reader without a token has nothing to delete, unless it wrote to the zone before its
      // first fetch, as the framework's clients may.
      if record.isDeleted, isFromNothing, !selection.showsDeletedRecordTypes { continue }
      if let types = selection.desiredRecordTypes, !types.contains(record.type) { continue }
      let item = try presenter.item(
        record, selection: selection.fields,
        showsDeletedType: selection.showsDeletedRecordTypes)
      guard budget.take(item) else { return (items, index) }
      items.append(item)
    }
    return (items, records.count)
  }
}

/// The position of a reader in a zone's history, and its direction.
struct HistoryCursor {
  private let zone: StoredZone
  private let epoch: Int64
  /// The reader already knows the changes up to this one. Reading starts after it.
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
        forgotten: zone.newestExpired)
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

  /// Whether the reader has no token.
  ///
  /// NB: a token of a zone without changes is different. Its owner may have written records since
  /// then, and needs to learn of their deletions.
  let isFromNothing: Bool

  var range: ChangeRange { ChangeRange(after: since, through: isReversed ? before : zone.change) }

  /// Whether no changes are left to read.
  var isAtEnd: Bool { range.after >= range.through }

  /// Whether no changes are left after this one.
  ///
  /// NB: change numbers have gaps, since a record has only its latest change. A backward reader may
  /// therefore learn of the end only from an empty page. A forward reader does so only if the
  /// zone's newest change is a removed deletion.
  func isLast(_ change: Int64) -> Bool {
    isReversed ? change <= since + 1 : change >= zone.change
  }

  /// The token for the next page.
  ///
  /// - Parameter change: the last change that was read; nil: none.
  func next(afterReading change: Int64?, isComplete: Bool) -> ChangeToken {
    var token = ChangeToken(
      subject: .zone, epoch: epoch, incarnation: zone.id, change: zone.change)
    if isReversed {
      token.change = isComplete ? top : since
      if !isComplete {
        token.subject = .reversedZone
        token.before = change.map { $0 - 1 } ?? before
        token.top = top
        token.began = began
      }
    } else if !isComplete {
      token.change = change ?? since
      token.began = began
    }
    return token
  }
}
