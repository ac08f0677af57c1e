import StratusDomain
import StratusWire

/// The checks of an authenticator's answer (WebAuthn Level 3, §7.1 and §7.2).
enum PasskeyCheck {
  /// The reason why a passkey is refused. The reason is written into the log.
  enum Fault: String, Error, Sendable, CaseIterable {
    case clientDataUnreadable = "the client data cannot be read"
    case wrongType = "the client data belong to another ceremony"
    case wrongChallenge = "the challenge is not that of the page"
    case wrongOrigin = "the page is not one of this server"
    case crossOrigin = "the page was in a frame of another site"
    case authenticatorDataUnreadable = "the authenticator data cannot be read"
    case wrongServer = "the passkey belongs to another server"
    case userNotPresent = "the user did not touch the authenticator"
    case userNotVerified = "the authenticator did not verify the user"
    case wrongBackupState = "the state of the backup is impossible"
    case noCredential = "there is no new passkey in the data"
    case unsupportedKey = "the algorithm of the passkey is not supported"
    case wrongUser = "the passkey belongs to another account"
    case wrongSignature = "the signature is wrong"
  }

  /// A passkey that has passed the checks of a registration.
  struct NewPasskey: Sendable, Hashable {
    var credential: AuthenticatorData.Credential
    var signCount: UInt32
    var isBackupEligible: Bool
    var isBackedUp: Bool
  }

  private enum Ceremony: String {
    case create = "webauthn.create"
    case get = "webauthn.get"
  }

  /// Checks the answer of an authenticator that has created a passkey. The attestation statement is
  /// ignored, because the server asks for none.
  ///
  /// - Parameters:
  ///   - challenge: the challenge of the page that asked for the passkey.
  static func registration(
    clientData: [UInt8], attestation: [UInt8], challenge: [UInt8], site: PasskeySite
  ) throws(Fault) -> NewPasskey {
    try check(clientData, .create, challenge, site)
    guard let object = try? CBOR(attestation), object["fmt"]?.text != nil,
      case .map? = object["attStmt"], let bytes = object["authData"]?.bytes
    else { throw .authenticatorDataUnreadable }
    let data = try authenticatorData(bytes, site)
    guard let credential = data.credential else { throw .noCredential }
    guard PasskeyKey(bytes: credential.publicKey) != nil else { throw .unsupportedKey }
    return NewPasskey(
      credential: credential, signCount: data.signCount,
      isBackupEligible: data.isBackupEligible, isBackedUp: data.isBackedUp)
  }

  /// Checks a sign-in with a stored passkey.
  ///
  /// - Parameters:
  ///   - userHandle: the user handle that the authenticator sends, or nil if it sends none. It must
  ///     be ``expectedHandle``, because the user names no account for this sign-in.
  ///   - expectedHandle: the user handle of the passkey's account.
  static func assertion(
    clientData: [UInt8], authenticatorData bytes: [UInt8], signature: [UInt8],
    userHandle: [UInt8]?, passkey: Passkey, expectedHandle: [UInt8], challenge: [UInt8],
    site: PasskeySite
  ) throws(Fault) -> AuthenticatorData {
    guard userHandle == expectedHandle else { throw .wrongUser }
    try check(clientData, .get, challenge, site)
    let data = try authenticatorData(bytes, site)
    // A passkey never changes whether it can be copied to other devices.
    guard data.isBackupEligible == passkey.isBackupEligible else { throw .wrongBackupState }
    guard let key = PasskeyKey(bytes: passkey.publicKey) else { throw .unsupportedKey }
    guard key.isSignature(signature, of: bytes + Digest.sha256(clientData)) else {
      throw .wrongSignature
    }
    return data
  }

  private static func check(
    _ clientData: [UInt8], _ ceremony: Ceremony, _ challenge: [UInt8], _ site: PasskeySite
  ) throws(Fault) {
    guard let data = try? CollectedClientData(jsonBytes: clientData) else {
      throw .clientDataUnreadable
    }
    guard data.type == ceremony.rawValue else { throw .wrongType }
    guard Base64URL.decode(data.challenge) == challenge else { throw .wrongChallenge }
    guard data.origin == site.origin else { throw .wrongOrigin }
    guard !data.isCrossOrigin, data.topOrigin == nil else { throw .crossOrigin }
  }

  private static func authenticatorData(
    _ bytes: [UInt8], _ site: PasskeySite
  ) throws(Fault) -> AuthenticatorData {
    guard let data = AuthenticatorData(bytes) else { throw .authenticatorDataUnreadable }
    guard data.serverHash == site.hash else { throw .wrongServer }
    guard data.isUserPresent else { throw .userNotPresent }
    guard data.isUserVerified else { throw .userNotVerified }
    guard data.isBackupEligible || !data.isBackedUp else { throw .wrongBackupState }
    return data
  }
}
