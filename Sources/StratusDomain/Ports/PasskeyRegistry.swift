/// A passkey: the public half of a key pair, whose private half stays with the user's authenticator
/// (WebAuthn).
public struct Passkey: Sendable, Hashable {
  /// The credential ID, which the authenticator has chosen.
  public var id: [UInt8]
  public var accountID: String
  /// The name that the user has given to the passkey.
  public var name: String
  /// The public key as COSE_Key.
  public var publicKey: [UInt8]
  /// The host of the server for which the passkey was made (the relying party's ID). The passkey
  /// works only under this host.
  public var host: String
  /// The greatest number of signatures that the authenticator has reported.
  public var signCount: Int64
  /// Whether the passkey can be copied to other devices of its user. This never changes.
  public var isBackupEligible: Bool
  /// Whether the passkey had copies on other devices, as the authenticator said at the last use.
  public var isBackedUp: Bool
  /// Whether another person may have a copy of the passkey. This is so if the number of signatures
  /// did not increase at a sign-in.
  public var isSuspect: Bool
  /// The time of creation, in milliseconds since 1970 UTC.
  public var createdAt: Int64
  /// The time of the last sign-in, or nil if there was none.
  public var lastUsedAt: Int64?

  public init(
    id: [UInt8], accountID: String, name: String, publicKey: [UInt8], host: String,
    signCount: Int64, isBackupEligible: Bool, isBackedUp: Bool, isSuspect: Bool = false,
    createdAt: Int64, lastUsedAt: Int64? = nil
  ) {
    self.id = id
    self.accountID = accountID
    self.name = name
    self.publicKey = publicKey
    self.host = host
    self.signCount = signCount
    self.isBackupEligible = isBackupEligible
    self.isBackedUp = isBackedUp
    self.isSuspect = isSuspect
    self.createdAt = createdAt
    self.lastUsedAt = lastUsedAt
  }
}

/// The credential by which a user has signed in. A browser session is opened only if the account
/// still has this credential.
public enum SignInProof: Sendable, Hashable {
  /// The stored hash of the password.
  case password(hash: String)
  /// The credential ID of a passkey.
  case passkey(id: [UInt8])
  /// The user of an identity provider.
  case provider(issuer: String, subject: String)
}

/// The outcome of a removal of a credential.
public enum CredentialRemoval: Sendable, Hashable {
  case removed
  case unknown
  /// The account has no other credential, so its user could not sign in any more.
  case isLast
}

/// Stores passkeys.
public protocol PasskeyRegistry: Sendable {
  /// Stores a passkey.
  ///
  /// - Parameter countMax: the maximum number of the account's passkeys, including this one.
  /// - Returns: false if a passkey has this ID already, or if the account has too many. Then
  ///   nothing changes.
  func create(_ passkey: Passkey, countMax: Int) async throws(ServerError) -> Bool

  func passkey(id: [UInt8]) async throws(ServerError) -> Passkey?

  /// Returns the passkeys of an account in the order of their creation.
  func passkeys(ofAccount accountID: String) async throws(ServerError) -> [Passkey]

  /// Stores a sign-in with a passkey. The number of signatures never decreases.
  ///
  /// - Returns: false if there is no such passkey.
  func usePasskey(
    id: [UInt8], signCount: Int64, isBackedUp: Bool, isSuspect: Bool, at time: Int64
  ) async throws(ServerError) -> Bool

  /// - Returns: false if the account has no such passkey.
  func rename(
    passkey id: [UInt8], ofAccount accountID: String, to name: String
  ) async throws(ServerError) -> Bool

  /// Removes a passkey of an account, and all browser sessions of the account except one.
  ///
  /// - Parameter kept: the hash of the browser session that stays, or nil.
  func deletePasskey(
    id: [UInt8], ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval

  /// Removes the password of an account, and all browser sessions of the account except one. The
  /// account's other credentials remain.
  ///
  /// - Parameter kept: the hash of the browser session that stays, or nil.
  func deletePassword(
    ofAccount accountID: String, keepingSession kept: [UInt8]?
  ) async throws(ServerError) -> CredentialRemoval
}
