/// Whether the encrypted values of a zone can be shared in single records, or only in the whole
/// zone.
public enum EncryptionScope: String, Sendable, Hashable, CaseIterable {
  /// Each record can be shared on its own. This scope is the default.
  case perRecord = "PER_RECORD"
  /// The zone can be shared only as a whole.
  case perZone = "PER_ZONE"
}

extension EncryptionScope {
  /// Reads the scope from a zone dictionary. Returns nil if the dictionary has none.
  init?(zone json: JSONView) throws(WireError) {
    guard let name = try json.optionalString("encryptionScope") else { return nil }
    guard let scope = EncryptionScope(rawValue: name) else {
      throw .wrongType("encryptionScope", expected: "PER_RECORD or PER_ZONE")
    }
    self = scope
  }
}

/// The reason why a zone was deleted.
public enum ZoneDeletionReason: String, Sendable, Hashable, CaseIterable {
  /// A client or the deletion of the account deleted the zone, or the user lost access to a shared
  /// zone.
  case deleted = "DELETED"
  /// The user deleted the zone in the system's settings, outside the app. No client request causes
  /// this reason. Only the test server of `StratusTesting` does.
  case purged = "PURGED"
  /// A reset of encrypted data deleted the zone together with its keys.
  case encryptedDataReset = "ENCRYPTED_DATA_RESET"
}
