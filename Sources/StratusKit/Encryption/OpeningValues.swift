import StratusTransport
import StratusWire

extension DatabaseCalls {
  /// Decrypts the encrypted values of fetched records. A value that this device cannot decrypt
  /// stays encrypted.
  ///
  /// A share also gets the secret for its URL (``findSecret(of:)``).
  ///
  /// For the values, keys are requested from the server only if the key of some value is not known.
  /// - Throws: the error of the request for keys. A key that this device lacks is not an error.
  func openValues(of records: [CKRecord]) async throws(CKError) {
    guard scope != .public, let keyRing = path.keyRing else { return }
    for case let share as CKShare in records { await findSecret(of: share) }
    var wanted: [CKRecordZone.ID: KeyRing.Wanted] = [:]
    for record in records {
      let keyIDs = record.withState { $0.encrypted.sealed.values }
        .compactMap { SealedEnvelope.keyID(of: $0.bytes) }
      if keyIDs.isEmpty { continue }
      let zoneID = record.recordID.zoneID
      wanted[zoneID, default: KeyRing.Wanted(zoneID.wire)].keyIDs.formUnion(keyIDs)
    }
    if wanted.isEmpty { return }
    let keys: OpeningKeys
    do throws(KeyFailure) {
      keys = try await keyRing.openingKeys(Array(wanted.values), options: options)
    } catch {
      throw CKError(error)
    }
    for record in records { record.openValues(with: keys) }
  }
}

extension DatabaseCalls {
  /// Gives the URL of a share its secret, if this device has the keys of the zone or hierarchy.
  ///
  /// Choice: if the server cannot be asked, the URL has no secret. People who open this URL can
  /// read all values except the encrypted ones.
  func findSecret(of share: CKShare) async {
    guard scope != .public, let keyRing = path.keyRing else { return }
    let name = share.recordID.recordName
    let secret = try? await keyRing.shareSecret(
      of: share.recordID.zoneID.wire, share: name == CKRecordNameZoneWideShare ? nil : name,
      options: options)
    share.withState { $0.sharing?.secret = secret?.text }
  }
}

extension CKRecord {
  fileprivate func openValues(with keys: OpeningKeys) {
    withState { state in
      var recordKeys: [[UInt8]: RecordKey] = [:]
      for (field, sealed) in state.encrypted.sealed {
        guard let keyID = SealedEnvelope.keyID(of: sealed.bytes) else { continue }
        if recordKeys[keyID] == nil {
          recordKeys[keyID] = keys.key(keyID, of: state.recordID.zoneID.wire)?
            .recordKey(of: state.recordID.recordName)
        }
        let value = recordKeys[keyID]?.opened(sealed.bytes, type: sealed.type, field: field)
        guard let value else { continue }
        // NB: references are never encrypted, so no user name is needed.
        let naming = UserNaming(currentUserRecordName: nil)
        state.encrypted.open(
          field, as: value.stored(in: state.recordID.zoneID, naming: naming))
      }
    }
  }
}
