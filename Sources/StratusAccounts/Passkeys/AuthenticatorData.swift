/// The data that an authenticator signs (WebAuthn §6.1).
struct AuthenticatorData: Sendable, Hashable {
  /// The passkey that a registration creates.
  struct Credential: Sendable, Hashable {
    var id: [UInt8]
    /// The public key as COSE_Key, byte for byte.
    var publicKey: [UInt8]
  }

  /// SHA-256 of the relying party's ID.
  let serverHash: [UInt8]
  /// Whether the user has touched the authenticator.
  let isUserPresent: Bool
  /// Whether the authenticator has verified the user, for example by a fingerprint.
  let isUserVerified: Bool
  /// Whether the passkey can be copied to other devices of the user.
  let isBackupEligible: Bool
  /// Whether the passkey is copied to other devices.
  let isBackedUp: Bool
  /// The number of signatures that the authenticator has made, or 0 if it does not count them.
  let signCount: UInt32
  /// The new passkey, or nil if the data is that of a sign-in.
  let credential: Credential?

  /// The maximum length of a credential ID (WebAuthn §4).
  static let credentialIDMax = 1_023
  private static let headCount = 37

  /// Returns nil if the bytes have another format, or if there are extra bytes at the end.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.headCount else { return nil }
    serverHash = Array(bytes[0..<32])
    let flags = bytes[32]
    func has(_ bit: UInt8) -> Bool { flags & (1 << bit) != 0 }
    isUserPresent = has(0)
    isUserVerified = has(2)
    isBackupEligible = has(3)
    isBackedUp = has(4)
    signCount = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
    var index = Self.headCount
    if has(6) {
      // The first 16 bytes identify the authenticator's model. The next two bytes are the length of
      // the ID.
      guard bytes.count >= index + 18 else { return nil }
      let count = Int(bytes[index + 16]) << 8 | Int(bytes[index + 17])
      index += 18
      guard (1...Self.credentialIDMax).contains(count), bytes.count >= index + count else {
        return nil
      }
      let id = Array(bytes[index..<(index + count)])
      index += count
      var reader = CBORReader(bytes, at: index)
      guard (try? reader.value()) != nil else { return nil }
      credential = Credential(id: id, publicKey: Array(bytes[index..<reader.index]))
      index = reader.index
    } else {
      credential = nil
    }
    if has(7) {
      var reader = CBORReader(bytes, at: index)
      guard case .map? = try? reader.value() else { return nil }
      index = reader.index
    }
    if index != bytes.count { return nil }
  }
}
