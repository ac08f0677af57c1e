import StratusWire

/// Reads the history of a database's list of zones page by page.
struct DatabaseHistory {
  /// One page.
  struct Page: Sendable {
    let zones: [ZoneDictionary]
    let syncToken: String
    let moreComing: Bool
  }

  let database: OpenDatabase
  let store: any StoreReading
  var showsIncarnations = false

  /// Returns the page after a token, or the first page if there is no token.
  ///
  /// - Throws: `BAD_REQUEST` for a token that is stale or not valid.
  func page(since text: String?, resultsLimit: Int?) throws(ServerError) -> Page {
    let epoch = try store.epoch(of: database.view)
    let newest = try store.latestZoneChange(in: database.view)
    var token = ChangeToken(
      subject: .database, epoch: epoch, incarnation: database.view.fingerprint, change: 0)
    token.began = newest
    if let text {
      let given = try ChangeToken(text: text)
      guard given.subject == .database else { throw .badRequest(Reason.syncTokenInvalid) }
      try given.check(
        epoch: epoch, incarnation: token.incarnation, newest: newest,
        forgotten: try store.newestExpiredZone(in: database.view))
      token = given
    }
    let since = token.change
    let limit = min(resultsLimit ?? Limits.zonesPerResponseMax, Limits.zonesPerResponseMax)
    let found = try store.zoneChanges(in: database.view, after: since, limit: limit + 1)
    let shown = found.prefix(limit)
    let moreComing = found.count > limit
    token.change = moreComing ? shown.last?.change ?? newest : newest
    let zones = shown.filter { !($0.isDeleted && text == nil) }.map { change in
      ZoneDictionary(
        zoneID: ZoneAddress(database: change.database, name: change.name).id,
        incarnation: showsIncarnations && !change.isDeleted ? Self.incarnation(of: change) : nil,
        isDeleted: change.isDeleted, deletionReason: change.deletionReason)
    }
    return Page(zones: zones, syncToken: token.text, moreComing: moreComing)
  }

  /// Returns a text for the incarnation of a zone. For a participant, the text includes the number
  /// of the participation. If that number changes, a device must forget the zone and read it again:
  /// records may have left the shared hierarchies, and no feed will show them as deleted.
  private static func incarnation(of change: ZoneChange) -> String {
    change.participation == 0
      ? String(change.incarnation) : "\(change.incarnation).\(change.participation)"
  }
}
