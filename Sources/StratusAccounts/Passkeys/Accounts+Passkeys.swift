import Crypto
import Foundation
import StratusDomain
import StratusWire

extension Accounts {
  /// The maximum number of passkeys of an account. Choice: a person has fewer authenticators.
  static let passkeysMax = 20

  /// The outcome of a sign-in with a passkey.
  enum PasskeySignIn: Sendable {
    case account(Account, SignInProof)
    /// The fault is nil if the passkey is unknown or was removed in the meantime, or if its account
    /// is disabled. The account is the owner of the passkey, or nil if the passkey is unknown.
    case refused(PasskeyCheck.Fault?, Account?)
    case usedAlready
  }

  /// The answer of a browser in the fields of a form.
  struct PasskeyAnswer: Sendable {
    let credential: [UInt8]
    let clientData: [UInt8]
    let authenticatorData: [UInt8]
    let attestation: [UInt8]
    let signature: [UInt8]
    /// The user handle, or nil if the authenticator sends none.
    let userHandle: [UInt8]?

    init(_ form: [String: String]) {
      func bytes(_ name: String) -> [UInt8] { form[name].flatMap(Base64URL.decode) ?? [] }
      credential = bytes("credential")
      clientData = bytes("client_data")
      authenticatorData = bytes("authenticator_data")
      attestation = bytes("attestation")
      signature = bytes("signature")
      let handle = bytes("user_handle")
      userHandle = handle.isEmpty ? nil : handle
    }
  }

  /// Signs in with a passkey.
  func signIn(
    _ answer: PasskeyAnswer, challenge: PasskeyChallenge, site: PasskeySite
  ) async throws(ServerError) -> PasskeySignIn {
    guard let passkey = try await registry.passkey(id: answer.credential),
      let account = try await registry.account(id: passkey.accountID)
    else { return .refused(nil, nil) }
    if account.isDisabled { return .refused(nil, account) }
    let data: AuthenticatorData
    do throws(PasskeyCheck.Fault) {
      data = try PasskeyCheck.assertion(
        clientData: answer.clientData, authenticatorData: answer.authenticatorData,
        signature: answer.signature, userHandle: answer.userHandle, passkey: passkey,
        expectedHandle: names.userHandle(accountID: account.id), challenge: challenge.bytes,
        site: site)
    } catch { return .refused(error, account) }
    let now = ambient.now()
    guard try await registry.create([challenge.used], within: nil, at: now) else {
      return .usedAlready
    }
    let count = Int64(data.signCount)
    // Passkeys that a user's devices synchronize always report 0.
    let isCopied = (count != 0 || passkey.signCount != 0) && count <= passkey.signCount
    if isCopied {
      audit.note(
        "a passkey of the account '\(account.email)' may have been copied, because its number of "
          + "signatures did not increase")
    }
    guard
      try await registry.usePasskey(
        id: passkey.id, signCount: count, isBackedUp: data.isBackedUp,
        isSuspect: passkey.isSuspect || isCopied, at: now)
    else { return .refused(nil, account) }
    return .account(account, .passkey(id: passkey.id))
  }

  /// Stores a new passkey of an account.
  ///
  /// - Returns: false if the passkey belongs to an account already, if the account has too many
  ///   passkeys, or if the challenge was answered before.
  /// - Throws: `BAD_REQUEST`, whose reason is the raw value of a ``PasskeyCheck/Fault``.
  func addPasskey(
    _ answer: PasskeyAnswer, named name: String, to account: Account,
    challenge: PasskeyChallenge, site: PasskeySite
  ) async throws(ServerError) -> Bool {
    let new: PasskeyCheck.NewPasskey
    do throws(PasskeyCheck.Fault) {
      new = try PasskeyCheck.registration(
        clientData: answer.clientData, attestation: answer.attestation,
        challenge: challenge.bytes, site: site)
    } catch {
      throw ServerError(.badRequest, error.rawValue)
    }
    let now = ambient.now()
    guard try await registry.create([challenge.used], within: nil, at: now) else { return false }
    let cleaned = ShownName.clean(name).trimmingCharacters(in: .whitespaces)
    return try await registry.create(
      Passkey(
        id: new.credential.id, accountID: account.id, name: cleaned.isEmpty ? "Passkey" : cleaned,
        publicKey: new.credential.publicKey, host: site.id, signCount: Int64(new.signCount),
        isBackupEligible: new.isBackupEligible, isBackedUp: new.isBackedUp, createdAt: now),
      countMax: Self.passkeysMax)
  }

  /// Returns the options for a page that creates a passkey, or that signs in with one.
  func passkeyOptions(
    _ challenge: PasskeyChallenge, site: PasskeySite, account: Account? = nil,
    existing: [Passkey] = []
  ) -> PasskeyOptions {
    PasskeyOptions(
      challenge: Base64URL.encode(challenge.bytes), serverID: site.id,
      timeoutMilliseconds: PasskeyChallenge.lifetimeMilliseconds,
      user: account.map { account in
        PasskeyOptions.User(
          id: Base64URL.encode(names.userHandle(accountID: account.id)), name: account.email,
          algorithms: PasskeyKey.algorithms, excluded: existing.map { Base64URL.encode($0.id) })
      })
  }
}

extension UserNames {
  /// Returns the user handle that authenticators store with the passkeys of an account: 64 bytes
  /// that reveal nothing about the account (WebAuthn §14.6.1).
  func userHandle(accountID: String) -> [UInt8] { code("passkey user\u{0}\(accountID)") }
}
