/// What the encrypted values of a zone can be shared by.
public enum EncryptionScope: String, Sendable, Hashable, CaseIterable {
  /// Record by record; the default.
  case perRecord = "PER_RECORD"
  /// The zone as a whole.
  case perZone = "PER_ZONE"
}

extension EncryptionScope {
  /// The scope a zone dictionary names; nil if it names none.
  init?(zone json: JSONView) throws(WireError) {
    guard let name = try json.optionalString("encryptionScope") else { return nil }
    guard let scope = EncryptionScope(rawValue: name) else {
      throw .wrongType("encryptionScope", expected: "PER_RECORD or PER_ZONE")
    }
    self = scope
  }
}

/// Why a zone is no more.
public enum ZoneDeletionReason: String, Sendable, Hashable, CaseIterable {
  /// Somebody deleted it.
  case deleted = "DELETED"
  /// Its user deleted it, in the system's settings rather than in the app. No request does so; the
  /// server of `StratusTesting` does.
  case purged = "PURGED"
  /// It went with its keys.
  case encryptedDataReset = "ENCRYPTED_DATA_RESET"
}
