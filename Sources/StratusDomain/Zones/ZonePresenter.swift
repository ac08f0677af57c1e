import StratusWire

/// Turns zones of one database into what a caller sees.
struct ZonePresenter: Sendable {
  let database: OpenDatabase
  let epoch: Int64
  var showsIncarnations = false

  func item(_ zone: StoredZone) -> ZoneItem {
    guard !zone.isDefault else { return defaultZone }
    let token = ChangeToken(
      subject: .zone, epoch: epoch, incarnation: zone.id, change: zone.change)
    return .zone(
      ZoneDictionary(
        zoneID: database.zoneID(zone.name), syncToken: token.text,
        incarnation: showsIncarnations ? String(zone.id) : nil, isAtomic: true,
        encryptionScope: zone.encryptionScope))
  }

  /// The default zone is there whether or not it was written to, and has no history.
  var defaultZone: ZoneItem {
    .zone(ZoneDictionary(zoneID: database.zoneID(ZoneID.defaultZoneName), isAtomic: false))
  }

  func failure(_ zoneID: ZoneID, _ error: ServerError) -> ZoneItem {
    .failure(zoneID, error.dictionary(for: database.caller))
  }
}
