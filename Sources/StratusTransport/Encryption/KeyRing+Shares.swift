public import StratusWire

/// The keys of shares.
extension KeyRing {
  /// Returns the secret for the URL of a share. If the zone is the user's own, the method first
  /// stores the zone's or hierarchy's keys on the server, encrypted so that only this secret
  /// decrypts them.
  ///
  /// - Parameter shareName: the name of the share of a hierarchy, or nil for the share of the zone.
  /// - Returns: nil if the zone or hierarchy has no key, or if this device does not have the key.
  ///   For another owner's zone, also nil if the owner's devices have not stored the keys for the
  ///   URL yet.
  public func shareSecret(
    of zoneID: ZoneID, share shareName: String? = nil, options: Options
  ) async throws(KeyFailure) -> ShareSecret? {
    if try deviceKeys.all().isEmpty { return nil }
    let options = pinned(options)
    let answer = try await fetch(
      [zoneID], recordNames: [shareName].compactMap { $0 }, options)
    guard let answered = answer.zones.first, let standing = answer.publicKey,
      let pair = try pair(of: standing, answer)
    else { return nil }
    let root = answered.roots.first?.rootRecordName
    if shareName != nil, root == nil { return nil }
    let context = context(of: zoneID, answer).scoped(to: root)
    let rows = answered.keys.filter { KeyedRoot($0.rootRecordName) == KeyedRoot(root) }
    let keys = opened(rows, for: pair, context)
    guard let used = rows.first(where: { !$0.isRetired && $0.form != .link }),
      let key = keys[used.keyID]
    else { return nil }
    let secret = ShareSecret(of: key)
    let id = secret.id(in: context)
    let linked = Set(rows.filter { $0.recipient == id }.map(\.keyID))
    if zoneID.isShared { return linked.contains(key.id) ? secret : nil }
    let missing = keys.values.filter { !linked.contains($0.id) }
    if missing.isEmpty { return secret }
    let request = WrapZoneKey.Request(
      zoneID: zoneID, key: used, others: try links(to: missing, by: secret))
    _ = try await send(WrapZoneKey.self, request, options, to: .private)
    return secret
  }

  /// Opens the keys of another owner's zone or hierarchy with the secret of the share's URL, and
  /// stores them on the server for this account, so that the user's other devices need no URL. The
  /// method does nothing if the server has no keys for this secret.
  public func join(
    _ zoneID: ZoneID, with secret: ShareSecret, options: Options
  ) async throws(KeyFailure) {
    let options = pinned(options)
    let answer = try await fetch([zoneID], options)
    let context = context(of: zoneID, answer)
    let found = answer.zones.first?.keys ?? []
    let keys = found.compactMap {
      ZoneKey($0, for: secret, context: context.scoped(to: $0.rootRecordName))
    }
    if keys.isEmpty { return }
    remember(options) { zones in
      let zone = KeyedZone(zoneID)
      for key in keys { zones[zone, default: Zone()].keys[key.id] = key }
      zones[zone, default: Zone()].absent = []
    }
    // NB: the keys are remembered before this call, which throws on a device without the account's
    // key. Such a device can decrypt the values, but only until the program ends.
    let pair = try await pair(for: answer, options)
    let present = Set(found.filter { $0.recipient == pair.publicBytes }.map(\.keyID))
    var forms: [WrappedZoneKey] = []
    for key in keys where !present.contains(key.id) { forms.append(try key.wrapped(for: pair)) }
    guard let first = forms.first else { return }
    let request = WrapZoneKey.Request(
      zoneID: zoneID, key: first, others: Array(forms.dropFirst()))
    _ = try await send(
      WrapZoneKey.self, request, options, to: zoneID.isShared ? .shared : .private)
  }

  func links(
    to keys: [ZoneKey], by secret: ShareSecret
  ) throws(KeyFailure) -> [WrappedZoneKey] {
    var forms: [WrappedZoneKey] = []
    for key in keys { forms.append(try key.wrapped(for: secret, randomness: randomness)) }
    return forms
  }

  /// Decrypts the keys that this account can decrypt. To decrypt a key that another member has
  /// wrapped, an earlier key of the same zone or hierarchy is needed.
  func opened(
    _ wrapped: [WrappedZoneKey], for pair: UserKeyPair, _ context: ZoneKeyContext
  ) -> [[UInt8]: ZoneKey] {
    var keys: [[UInt8]: ZoneKey] = [:]
    for form in wrapped {
      let context = context.scoped(to: form.rootRecordName)
      if let key = ZoneKey(form, for: pair, context: context) { keys[key.id] = key }
    }
    var rest = wrapped.filter { $0.form == .rotated }
    while true {
      let next = rest.compactMap {
        ZoneKey($0, for: pair, knowing: keys, context: context.scoped(to: $0.rootRecordName))
      }
      if next.isEmpty { return keys }
      for key in next { keys[key.id] = key }
      rest.removeAll { keys[$0.keyID] != nil }
    }
  }
}

extension ZoneID {
  /// Whether the zone belongs to another user, so that it is in the shared database.
  var isShared: Bool { ownerRecordName != nil }
}
