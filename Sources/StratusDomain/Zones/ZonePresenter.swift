import StratusWire

/// Converts zones into their form for a caller.
struct ZonePresenter: Sendable {
  let caller: Caller
  let epoch: Int64
  var showsIncarnations = false

  func item(_ access: ZoneAccess) -> ZoneItem {
    guard let zone = access.zone else { return defaultZone(of: access.address.database) }
    return item(zone)
  }

  func item(_ zone: StoredZone) -> ZoneItem {
    guard !zone.isDefault else { return defaultZone(of: zone.database) }
    let token = ChangeToken(
      subject: .zone, epoch: epoch, incarnation: zone.id, change: zone.change)
    return .zone(
      ZoneDictionary(
        zoneID: zone.address.id, syncToken: token.text,
        incarnation: showsIncarnations ? String(zone.id) : nil, isAtomic: true,
        encryptionScope: zone.encryptionScope))
  }

  /// The default zone exists before anything is written to it, and has no history.
  func defaultZone(of database: DatabaseKey) -> ZoneItem {
    let address = ZoneAddress(database: database, name: ZoneID.defaultZoneName)
    return .zone(ZoneDictionary(zoneID: address.id, isAtomic: false))
  }

  func failure(_ zoneID: ZoneID, _ error: ServerError) -> ZoneItem {
    .failure(zoneID, error.dictionary(for: caller))
  }
}
