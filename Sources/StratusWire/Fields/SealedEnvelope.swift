/// The form of a value that was sealed on a device: a version, then what only devices understand.
///
/// The server cannot look inside; it only tells a sealed value from one that merely says so.
public enum SealedEnvelope {
  /// The first byte of every sealed value of this version.
  public static let version: UInt8 = 1
  /// Bytes of the ID of the zone key that sealed the value.
  public static let keyIDLength = 8
  /// Bytes of AES-GCM's nonce and tag.
  public static let nonceLength = 12
  public static let tagLength = 16

  /// Whether bytes have the form: version, key ID, nonce, ciphertext, tag.
  public static func isWellFormed(_ bytes: [UInt8]) -> Bool {
    bytes.first == version && bytes.count >= 1 + keyIDLength + nonceLength + tagLength
  }
}
