/// The bytes of an encrypted value, as a device creates them. They begin with a version number and
/// the ID of the zone key.
///
/// The server cannot decrypt the value. The server checks that the bytes have this form and that
/// the zone has the key. It refuses a plain value that is declared as encrypted.
public enum SealedEnvelope {
  /// The first byte of every sealed value of this version.
  public static let version: UInt8 = 1
  /// The length of a zone key's ID in bytes.
  public static let keyIDLength = 8
  /// The lengths of the nonce and the tag of AES-GCM, in bytes.
  public static let nonceLength = 12
  public static let tagLength = 16

  /// Whether the bytes begin with ``version``, and are long enough to contain a key ID, a nonce and
  /// a tag. The ciphertext is not checked.
  public static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    bytes.first == version && bytes.count >= 1 + keyIDLength + nonceLength + tagLength
  }
}
