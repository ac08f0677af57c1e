import StratusWire

/// Answers `encryption/wrap`. If the zone or the hierarchy has a key that is in use already, the
/// request does not replace it.
struct WrapZoneKeyHandler: EndpointHandler {
  typealias Endpoint = WrapZoneKey

  let databases: DatabaseAccess

  func answer(
    _ request: WrapZoneKey.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> WrapZoneKey.Response {
    guard request.others.count < Limits.wrappedKeysPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.view.requireEncryption()
    let user = try caller.requireUser()
    let address = try database.zoneAddress(request.zoneID)
    return try await database.store.write { (store) throws(ServerError) in
      guard try store.userKey(of: user) == request.key.recipient else {
        throw ServerError(.conflict, Reason.userKeyChanged)
      }
      let access = try database.lockedAccess(to: address, of: store)
      let root = request.key.rootRecordName
      guard access.showsKeys(ofRoot: root) else { throw .badRequest(Reason.keysNotShared) }
      let zone =
        if let zone = access.zone { zone } else {
          try store.createZone(named: address.name, in: address.database)
        }
      try KeyAddition(access: access, zone: zone, store: store).add(request)
      return try store.keys(of: zone, ofRoot: root, for: user, access)
    }
  }
}

/// Adds those wrapped keys of a request that the caller may add.
private struct KeyAddition {
  let access: ZoneAccess
  let zone: StoredZone
  let store: any StoreWriting

  func add(_ request: WrapZoneKey.Request) throws(ServerError) {
    let root = request.key.rootRecordName
    let all = try store.zoneKeys(of: zone)
    let known = all.filter { $0.isOf(root: root) }
    var ids = Set(known.map(\.keyID))
    let isNew = !ids.contains(request.key.keyID)
    if isNew {
      guard known.allSatisfy(\.isRetired) else { return }
      // A key that a participant creates in a zone without keys would lock the owner out.
      guard access.role == .owner || !known.isEmpty && access.mayRenewKeys(ofRoot: root),
        // NB: a key must not get the ID of a key of another hierarchy.
        !all.contains(where: { $0.keyID == request.key.keyID })
      else {
        throw .badRequest(Reason.keysNotShared)
      }
      try requireRoom(for: root, among: all)
      ids.insert(request.key.keyID)
    }
    let members = isNew ? try store.memberKeys(of: zone, root: root) : []
    let added =
      [request.key]
      + request.others.filter { key in
        guard ids.contains(key.keyID), key.isOf(root: root) else { return false }
        switch key.form {
        case .own: return key.recipient == request.key.recipient
        case .link: return isNew || access.role == .owner
        case .rotated: return members.contains(key.recipient)
        case nil: return false
        }
      }
    try removeLinks(known, unlessFor: added.filter { $0.form == .link }.map(\.recipient))
    let retired = Set(known.filter(\.isRetired).map(\.keyID))
    var present = Set(known.map(Row.init))
    for var key in added where present.insert(Row(key)).inserted {
      // NB: a further wrapped form of a retired key must not bring the key back into use.
      key.isRetired = retired.contains(key.keyID)
      try store.add(key, to: zone)
    }
  }

  /// - Throws: `BAD_REQUEST` if too many hierarchies of the zone would have keys, or if the name of
  ///   the root is empty or too long.
  private func requireRoom(
    for root: String?, among keys: [WrappedZoneKey]
  ) throws(ServerError) {
    guard let root else { return }
    let known = Set(keys.compactMap(\.rootRecordName).map(ExactName.init))
    guard root.utf8.count <= 4 * Limits.nameLengthMax, !root.isEmpty,
      known.contains(ExactName(root)) || known.count < Limits.keyedHierarchiesPerZoneMax
    else { throw .badRequest(Reason.batchTooLarge) }
  }

  /// Removes the keys that are wrapped for an earlier secret of the share's URL, if the request has
  /// keys for a new secret.
  private func removeLinks(
    _ known: [WrappedZoneKey], unlessFor links: [[UInt8]]
  ) throws(ServerError) {
    if links.isEmpty { return }
    let old = Set(known.filter { $0.form == .link }.map(\.recipient)).subtracting(links)
    for recipient in old { try store.removeZoneKeys(for: recipient, of: zone) }
  }

  private struct Row: Hashable {
    let keyID: [UInt8]
    let recipient: [UInt8]

    init(_ key: WrappedZoneKey) { (keyID, recipient) = (key.keyID, key.recipient) }
  }
}
