import StratusWire

extension StoreReading {
  /// The error of a zone that is not there, which says whether it went with its keys
  /// (cloudkit-semantics §8).
  func missingZone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> ServerError {
    var error = ServerError(.zoneNotFound, Reason.zoneNotFound)
    error.userDidResetEncryptedData =
      try deletionReason(ofZoneNamed: name, in: database) == .encryptedDataReset
    return error
  }
}
