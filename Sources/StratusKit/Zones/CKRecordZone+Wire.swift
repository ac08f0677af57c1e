import StratusWire

extension CKRecordZoneID {
  /// The ID in its wire form. It has no owner if the owner is the current user.
  var wire: ZoneID {
    ZoneID(
      zoneName: zoneName,
      ownerRecordName: ownerName == CKCurrentUserDefaultName ? nil : ownerName)
  }

  /// Makes an ID from a response. An empty name, which no zone has, means the default zone.
  convenience init(wire: ZoneID, naming: UserNaming) {
    self.init(
      zoneName: wire.zoneName.isEmpty ? CKRecordZoneDefaultName : wire.zoneName,
      ownerName: naming.shown(wire.ownerRecordName))
  }
}

extension CKRecordZone {
  /// Makes a zone from a response.
  convenience init(wire: ZoneDictionary, naming: UserNaming) {
    let zoneID = CKRecordZoneID(wire: wire.zoneID, naming: naming)
    self.init(
      zoneID: zoneID, capabilities: Capabilities(wire: wire),
      share: CKReference(wire: wire.shareRecordName, in: zoneID),
      encryptionScope: EncryptionScope(wire: wire.encryptionScope))
  }
}

extension CKRecordZone.Capabilities {
  /// The capabilities that the server reports for a zone.
  ///
  /// Choice: a zone with atomic batches also has a change feed, and can be shared unless the server
  /// says otherwise. If the response does not say whether batches are atomic, they count as atomic
  /// in every zone except the default zone.
  init(wire: ZoneDictionary) {
    let isCustom = wire.isAtomic ?? !wire.zoneID.isDefault
    let isSharable = wire.sharing.isSharable ?? isCustom
    self = isCustom ? [.fetchChanges, .atomic] : []
    if wire.sharing.isEligibleForHierarchicalShare ?? isSharable { insert(.sharing) }
    if wire.sharing.isEligibleForZoneShare ?? isSharable { insert(.zoneWideSharing) }
  }
}

extension CKRecordZone.EncryptionScope {
  init(wire: StratusWire.EncryptionScope) {
    self =
      switch wire {
      case .perRecord: .perRecord
      case .perZone: .perZone
      }
  }

  var wire: StratusWire.EncryptionScope {
    switch self {
    case .perRecord: .perRecord
    case .perZone: .perZone
    }
  }
}

extension CKRecordZoneID {
  /// Whether this zone is before the other zone in the order of the bytes of their names and of
  /// their owners' names.
  func precedes(_ other: CKRecordZoneID) -> Bool {
    if zoneName.isIdentical(to: other.zoneName) {
      return ownerName.utf8.lexicographicallyPrecedes(other.ownerName.utf8)
    }
    return zoneName.utf8.lexicographicallyPrecedes(other.zoneName.utf8)
  }
}
