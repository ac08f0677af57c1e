import StratusWire

extension CKRecordZoneID {
  /// The ID as requests carry it: the current user is not named.
  var wire: ZoneID {
    ZoneID(
      zoneName: zoneName,
      ownerRecordName: ownerName == CKCurrentUserDefaultName ? nil : ownerName)
  }

  /// An ID from an answer. An empty name, which no zone has, stands for the default zone.
  convenience init(wire: ZoneID, naming: UserNaming) {
    self.init(
      zoneName: wire.zoneName.isEmpty ? CKRecordZoneDefaultName : wire.zoneName,
      ownerName: naming.shown(wire.ownerRecordName))
  }
}

extension CKRecordZone {
  /// A zone from an answer; what it can do follows from whether it is a custom zone.
  convenience init(wire: ZoneDictionary, naming: UserNaming) {
    self.init(
      zoneID: CKRecordZoneID(wire: wire.zoneID, naming: naming),
      capabilities: wire.zoneID.isDefault
        ? [] : [.fetchChanges, .atomic, .sharing, .zoneWideSharing],
      encryptionScope: EncryptionScope(wire: wire.encryptionScope))
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
  /// An order of zones that is always the same: by the bytes of their names.
  func precedes(_ other: CKRecordZoneID) -> Bool {
    if zoneName.isIdentical(to: other.zoneName) {
      return ownerName.utf8.lexicographicallyPrecedes(other.ownerName.utf8)
    }
    return zoneName.utf8.lexicographicallyPrecedes(other.zoneName.utf8)
  }
}
