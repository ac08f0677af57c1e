import StratusWire

/// The IDs in the URLs of shares. An ID has three routing characters and 22 random characters. The
/// ID in a one-time URL is the ID of the share and 22 more random characters.
enum ShareGUID {
  /// The number of characters of ``token(_:)``.
  static let tokenCharactersCount = 22

  /// - Parameter makeUUID: see ``Ambient/makeUUID``.
  static func make(for store: StoreAddress, _ makeUUID: () -> String) -> String {
    routing(of: store) + token(makeUUID)
  }

  /// Returns 22 characters with 128 random bits.
  static func token(_ makeUUID: () -> String) -> String {
    var text = ""
    // NB: a UUID has six fixed bits. None of them is in its last twelve digits.
    for _ in 0..<3 { text += makeUUID().filter(\.isHexDigit).suffix(12) }
    let bytes = stride(from: 0, to: min(32, text.count - 1), by: 2).compactMap { offset in
      UInt8(text.dropFirst(offset).prefix(2), radix: 16)
    }
    return Base64.encodeForURL(bytes)
  }

  /// Returns three characters that narrow the search for a share to few stores, usually to one.
  ///
  /// Choice: the characters are a hash of the container's ID and the environment. So the server
  /// needs no table of all shares, which could differ from the stores after a crash or a restore.
  /// The hash is no secret, and the random characters alone protect the share.
  static func routing(of store: StoreAddress) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in "\(store.container)\u{0}\(store.environment.rawValue)".utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
    let bits = hash ^ hash >> 18 ^ hash >> 36 ^ hash >> 54
    let characters = [12, 6, 0].map { alphabet[Int(bits >> $0 & 63)] }
    return String(decoding: characters, as: UTF8.self)
  }

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  /// Whether a text has the form of an ID. Other texts never reach a store.
  static func isPlausible(_ text: String) -> Bool {
    (8...Limits.nameLengthMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { alphabet.contains($0) }
  }

  /// Returns the share's ID, which is the start of the ID in a one-time URL. Returns nil if the
  /// text is too short.
  static func share(inOneTime text: String) -> String? {
    guard text.utf8.count > tokenCharactersCount + 3 else { return nil }
    return String(text.dropLast(tokenCharactersCount))
  }
}
