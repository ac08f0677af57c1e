import StratusWire

/// The position of a reader in a zone's history, and its direction.
struct HistoryCursor {
  private let zone: StoredZone
  private let epoch: Int64
  /// The reader's participation in the zone, or nil if the reader owns the zone.
  private let participation: Participation?
  /// The reader already knows the changes up to this number. Reading starts after it.
  private let since: Int64
  private let before: Int64
  private let top: Int64
  /// The number of the newest change at the time when the reader's first reading began. It is 0 in
  /// later readings.
  let began: Int64
  /// The reader has read the records of all shares that it joined up to this number. Shares with a
  /// greater ``JoinedShare/joined`` must still be read from the beginning.
  private let joined: Int64
  /// While the reader catches up on newly joined shares, it knows the changes of their records up
  /// to this number. It is nil if there are no such shares.
  private let caughtUp: Int64?
  let isReversed: Bool
  /// Whether the reader has no token.
  ///
  /// NB: a reader with a token from a time when the zone had no changes is different. It may have
  /// written records since then, and must learn of their deletions.
  let isFromNothing: Bool

  /// - Parameters:
  ///   - participation: the reader's participation in the zone, or nil if the reader owns the zone.
  ///   - newestVisible: the newest change that the reader may see. If nil, the reader may see all
  ///     changes of the zone.
  /// - Throws: `BAD_REQUEST`; see
  ///   ``ChangeToken/check(epoch:incarnation:newest:forgotten:participation:)``.
  init(
    token text: String?, zone: StoredZone, epoch: Int64, isReversed: Bool,
    participation: Participation? = nil, newestVisible: Int64? = nil
  ) throws(ServerError) {
    let newest = zone.change
    // NB: the reader's tokens must not tell how much is written outside its shares.
    var zone = zone
    zone.change = newestVisible ?? newest
    self.zone = zone
    self.epoch = epoch
    self.participation = participation
    var since: Int64 = 0
    var before = zone.change
    var top = zone.change
    var began = zone.change
    var isReversed = isReversed
    let newestJoin = participation?.newestJoin ?? 0
    var joined = newestJoin
    var caughtUp: Int64?
    if let text {
      let token = try ChangeToken(text: text)
      let readsPassages = participation.map { !$0.showsZone } ?? false
      try token.check(
        epoch: epoch, incarnation: zone.incarnation, newest: newest,
        forgotten: readsPassages ? zone.newestExpiredPassage : zone.newestExpired,
        participation: participation?.number ?? 0)
      (since, began, joined) = (token.change, token.began, token.joined)
      switch token.subject {
      case .zone: break
      case .reversedZone: (before, top, isReversed) = (token.before, token.top, true)
      case .database, .notifications: throw .badRequest(Reason.syncTokenInvalid)
      }
      // NB: a reader that reads backwards must first finish that reading. Until then, its tokens
      // have the subject `.reversedZone`.
      if token.subject == .zone, joined < newestJoin {
        if since == 0 {
          joined = newestJoin
        } else {
          caughtUp = token.catchingUpOn == newestJoin ? token.caughtUp : 0
          isReversed = false
        }
      }
    }
    isFromNothing = text == nil
    (self.since, self.before, self.top, self.isReversed) = (since, before, top, isReversed)
    (self.began, self.joined, self.caughtUp) = (began, joined, caughtUp)
  }

  /// Whether this page catches up on newly joined shares. The reader's token was issued before the
  /// reader joined them, and changes of their records may be older than the token.
  var isCatchingUp: Bool { caughtUp != nil }

  /// The shares whose records this page can contain.
  var shares: [JoinedShare] {
    (participation?.shares ?? []).filter { isCatchingUp == ($0.joined > joined) }
  }

  var range: ChangeRange {
    if let caughtUp { return ChangeRange(after: caughtUp, through: since) }
    return ChangeRange(after: since, through: isReversed ? before : zone.change)
  }

  /// Whether no changes are left to read.
  var isAtEnd: Bool { range.after >= range.through }

  /// Whether no changes are left to read after the change with this number.
  ///
  /// NB: change numbers have gaps, since a record has only its latest change. A reader may
  /// therefore learn of the end only from a page that is not full.
  func isLast(_ change: Int64) -> Bool {
    isReversed ? change <= since + 1 : change >= range.through
  }

  /// Whether changes are left to read after a page.
  ///
  /// - Parameter isComplete: whether the page reaches the end of its ``range``.
  func hasMore(isComplete: Bool) -> Bool {
    if !isComplete { return true }
    // A share that was joined during a backward reading is read from its beginning afterwards.
    return isCatchingUp ? since < zone.change : joined < participation?.newestJoin ?? 0
  }

  /// Returns the token for the next page.
  ///
  /// - Parameters:
  ///   - change: the last change that was read, or nil if none was read.
  ///   - isComplete: whether the page reaches the end of its ``range``.
  func next(afterReading change: Int64?, isComplete: Bool) -> ChangeToken {
    var token = ChangeToken(
      subject: .zone, epoch: epoch, incarnation: zone.incarnation, change: max(zone.change, since))
    token.participation = participation?.number ?? 0
    token.joined = joined
    if let caughtUp {
      token.change = since
      token.began = began
      if isComplete {
        token.joined = participation?.newestJoin ?? 0
      } else {
        token.caughtUp = change ?? caughtUp
        token.catchingUpOn = participation?.newestJoin ?? 0
      }
    } else if isReversed {
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
