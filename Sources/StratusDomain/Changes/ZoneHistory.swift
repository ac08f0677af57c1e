import StratusWire

/// Reads the history of one zone page by page.
struct ZoneHistory {
  let database: OpenDatabase
  let store: any StoreReading

  /// A page of a zone's history.
  struct Page {
    let changes: ZoneChanges
    /// The number of bytes of the stored fields that were read for the page.
    let sizeBytesRead: Int
  }

  /// Some records and tombstones in the order of their changes.
  struct Part {
    var records: [StoredRecord] = []
    /// The change number of each record in the reader's history, or nil if these are the records'
    /// own change numbers.
    var changes: [Int64]?
    /// The change number after which the next part begins, or nil if this is the change number of
    /// the part's last record.
    var through: Int64?
    /// Whether the part reaches the end of the range that it was read from.
    var isExhausted = true
    /// Deletions up to this change are not shown, because the reader never had those records.
    var deletionsAfter: Int64 = 0

    var sizeBytes: Int { records.reduce(0) { $0 + $1.fields.text.count } }

    /// Returns the change number after which the next page begins if a page has only the first
    /// `count` records of the part.
    func change(afterTaking count: Int) -> Int64? {
      if count == records.count, let through { return through }
      return count > 0 ? changes?[count - 1] ?? records[count - 1].change : nil
    }
  }

  /// Returns the page after a token, or the first page if there is no token.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of records. With 0, the page contains no records, and only says
  ///     whether records are left to read.
  ///   - budget: the capacity left in the answer. A record that does not fit ends the page.
  /// - Throws: `ZONE_NOT_FOUND`; `BAD_REQUEST` for the default zone, and for a token that is stale
  ///   or not valid; `TRY_AGAIN_LATER` while records are leaving the participant's hierarchies.
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
      isReversed: selection.isReversed, participation: access.participation,
      newestVisible: access.newestVisibleChange(of: zone, in: store))
    let isRead = limit > 0 && !budget.isFull && !cursor.isAtEnd
    var part =
      isRead
      ? try part(of: access, zone, at: cursor, limit: limit, sizeBytesMax: sizeBytesMax) : Part()
    // A participant's first reading shows no deletions from before the start of this reading.
    if access.participation != nil, !selection.showsDeletedRecordTypes {
      part.deletionsAfter = max(part.deletionsAfter, cursor.began)
    }
    let (records, count) = try present(
      part, of: access, selection: selection, isFromNothing: cursor.isFromNothing, budget: &budget)
    let last = part.change(afterTaking: count)
    let isComplete =
      cursor.isAtEnd
      || isRead && count == part.records.count
        && (part.isExhausted || last.map(cursor.isLast) ?? false)
    // NB: a participant must not get the number of remaining changes. It would tell how much the
    // owner writes outside the share.
    let countsRemaining =
      selection.countsRemaining && access.participation == nil && !cursor.isReversed
    let remaining =
      isComplete ? 0 : max(0, cursor.range.through - (last ?? cursor.range.after))
    let next = cursor.next(afterReading: last, isComplete: isComplete)
    return Page(
      changes: ZoneChanges(
        zoneID: access.id, records: records, syncToken: next.text,
        moreComing: cursor.hasMore(isComplete: isComplete),
        // NB: only the owner gets this token. A participant must not learn of the owner's other
        // writes.
        clientChangeToken: access.role == .owner ? zone.clientChangeToken : nil,
        remainingCountMax: countsRemaining ? remaining : nil),
      sizeBytesRead: part.sizeBytes)
  }

  /// Reads those changes of a range that the caller may see.
  private func part(
    of access: ZoneAccess, _ zone: StoredZone, at cursor: HistoryCursor, limit: Int,
    sizeBytesMax: Int
  ) throws(ServerError) -> Part {
    if let participation = access.participation, !participation.showsZone {
      let history = SharedHistory(zone: zone, participation: participation, store: store)
      return try history.part(
        of: cursor.shares, range: cursor.range, newestFirst: cursor.isReversed, limit: limit,
        sizeBytesMax: sizeBytesMax)
    }
    var part = Part()
    part.records = try store.recordChanges(
      in: zone, range: cursor.range, newestFirst: cursor.isReversed, limit: limit,
      sizeBytesMax: sizeBytesMax)
    part.isExhausted = part.records.count < limit && part.sizeBytes < sizeBytesMax
    part.deletionsAfter =
      access.participation?.shares.first { $0.rootName == nil }?.since ?? 0
    return part
  }

  /// - Returns: the items, and the number of records that have been handled, including skipped
  ///   ones.
  private func present(
    _ part: Part, of access: ZoneAccess, selection: ChangesSelection, isFromNothing: Bool,
    budget: inout AnswerBudget
  ) throws(ServerError) -> (items: [RecordItem], count: Int) {
    let presenter = RecordPresenter(access.address, in: database, files: store)
    var items: [RecordItem] = []
    items.reserveCapacity(part.records.count)
    func isShown(_ record: StoredRecord) -> Bool {
      // A reader without a token has nothing to delete, unless it wrote to the zone before its
      // first fetch. StratusKit's apps may do so, and therefore ask for `showsDeletedRecordTypes`.
      if record.isDeleted {
        if isFromNothing, !selection.showsDeletedRecordTypes { return false }
        if record.change <= part.deletionsAfter { return false }
      }
      return selection.desiredRecordTypes?.contains(record.type) ?? true
    }
    // NB: a loop over the positions does not copy the records, which are large.
    for index in part.records.indices where isShown(part.records[index]) {
      let item = try presenter.item(
        part.records[index], selection: selection.fields,
        showsDeletedType: selection.showsDeletedRecordTypes)
      guard budget.take(item) else { return (items, index) }
      items.append(item)
    }
    return (items, part.records.count)
  }
}
