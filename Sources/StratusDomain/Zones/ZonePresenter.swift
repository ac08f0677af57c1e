import StratusWire

/// Converts stored zones into zones as a client sees them.
struct ZonePresenter: Sendable {
  let caller: Caller
  let epoch: Int64
  var showsIncarnations = false

  /// - Throws: `INTERNAL_ERROR`.
  func item(_ access: ZoneAccess, in store: any StoreReading) throws(ServerError) -> ZoneItem {
    guard let zone = access.zone else { return defaultZone(of: access.address.database) }
    return item(
      zone, token: try access.newestToken(of: zone, in: store),
      share: try store.shareLink(ofRoot: nil, in: zone)?.shareName)
  }

  /// Returns a zone as its owner sees it.
  ///
  /// - Parameter share: the record name of the share of the whole zone, or nil if there is none.
  func item(_ zone: StoredZone, share: String? = nil) -> ZoneItem {
    item(
      zone,
      token: ChangeToken(
        subject: .zone, epoch: epoch, incarnation: zone.incarnation, change: zone.change),
      share: share)
  }

  private func item(_ zone: StoredZone, token: ChangeToken, share: String?) -> ZoneItem {
    guard !zone.isDefault else { return defaultZone(of: zone.database) }
    return .zone(
      ZoneDictionary(
        zoneID: zone.address.id, syncToken: token.text,
        incarnation: showsIncarnations ? String(zone.incarnation) : nil, isAtomic: true,
        shareRecordName: share, encryptionScope: zone.encryptionScope))
  }

  /// Returns the default zone, which exists before anything is written to it and has no history.
  func defaultZone(of database: DatabaseKey) -> ZoneItem {
    let address = ZoneAddress(database: database, name: ZoneID.defaultZoneName)
    return .zone(ZoneDictionary(zoneID: address.id, isAtomic: false))
  }

  func failure(_ zoneID: ZoneID, _ error: ServerError) -> ZoneItem {
    .failure(zoneID, error.dictionary(for: caller))
  }
}
