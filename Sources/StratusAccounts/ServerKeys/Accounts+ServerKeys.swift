import Crypto
import StratusDomain
import StratusWire

/// A stored server-to-server key together with its parsed public key.
struct KnownServerKey: Sendable {
  let key: ServerKey
  let publicKey: P256.Signing.PublicKey
}

extension Accounts {
  /// Admits a request that was signed with a server-to-server key. Tokens in such a request are
  /// ignored.
  ///
  /// Choice: a signed request can be sent again within the time window. If an answer is lost, the
  /// client repeats the request with the same headers. The server cannot distinguish this from a
  /// replay.
  ///
  /// - Throws: `AUTHENTICATION_FAILED`, which does not say which part is wrong. Only the holder of
  ///   the private key learns that the date is wrong or that the key is revoked.
  func admitSigned(_ request: AdmissionRequest) async throws(ServerError) -> Admission {
    try request.requireTrust()
    let failed = ServerError(.authenticationFailed, Reason.authenticationFailed)
    guard let signature = RequestSignature(headers: request.signatureHeaders) else { throw failed }
    let now = ambient.now()
    guard let known = try await serverKey(signature.keyID, now: now),
      known.key.store == request.store
    else { throw failed }
    // NB: the body is read only after the key was found.
    let body = try await request.body()
    let address = request.clientAddress.map(NetworkAddress.subscriber)
    func note(_ fault: String) {
      audit.noteRefusal(
        "a request with the server-to-server key \(known.key.id) was refused, because \(fault), "
          + "from \(address ?? "an unknown address")", at: now)
    }
    guard signature.isValid(for: known.publicKey, target: request.target, body: body) else {
      note("its signature is wrong")
      throw failed
    }
    if known.key.revokedAt != nil {
      note("the key is revoked")
      throw ServerError(.authenticationFailed, Reason.serverKeyRevoked)
    }
    guard abs(now - signature.date) <= signatureWindowSeconds * 1_000 else {
      note("its date is too far from the server's time")
      throw ServerError(.authenticationFailed, Reason.signatureDateWrong)
    }
    return Admission(
      principal: .serverKey(id: known.key.id, userRecordName: known.key.userRecordName))
  }

  /// Returns the key with this ID, from the cache or from the registry.
  private func serverKey(
    _ id: String, now: Int64
  ) async throws(ServerError) -> KnownServerKey? {
    await noticeChanges(now: now)
    let (cached, changes) = memory.serverKey(id, now: now)
    if let cached { return cached }
    guard let key = try await registry.serverKey(id: id) else { return nil }
    guard let publicKey = try? P256.Signing.PublicKey(x963Representation: key.publicKey) else {
      throw .fault("the public key of a server-to-server key is damaged", facts: ["key": id])
    }
    let known = KnownServerKey(key: key, publicKey: publicKey)
    memory.keep(known, now: now, ifStill: changes)
    return known
  }
}
