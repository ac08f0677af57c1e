import StratusWire

extension StoreReading {
  /// Returns the error for a missing zone. It says whether the zone was deleted because its keys
  /// were reset.
  func missingZone(
    named name: String, in database: DatabaseKey
  ) throws(ServerError) -> ServerError {
    var error = ServerError(.zoneNotFound, Reason.zoneNotFound)
    error.userDidResetEncryptedData =
      try deletionReason(ofZoneNamed: name, in: database) == .encryptedDataReset
    return error
  }
}
