/// The form of a value that was sealed on a device. It begins with a version number. Only devices
/// can decode the bytes after it.
///
/// The server cannot decrypt the value. It only distinguishes a sealed value from one that is
/// merely declared as sealed.
public enum SealedEnvelope {
  /// The first byte of every sealed value of this version.
  public static let version: UInt8 = 1
  /// The length of a zone key's ID in bytes.
  public static let keyIDLength = 8
  /// The length of AES-GCM's nonce and tag in bytes.
  public static let nonceLength = 12
  public static let tagLength = 16

  /// Whether the bytes have the form: version, key ID, nonce, ciphertext, tag.
  public static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    bytes.first == version && bytes.count >= 1 + keyIDLength + nonceLength + tagLength
  }
}
