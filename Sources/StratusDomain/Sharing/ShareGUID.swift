/// Makes the IDs in the URLs of shares. An ID has three routing characters and 22 random characters
/// (sharing §1.1).
enum ShareGUID {
  /// - Parameter makeUUID: see ``Ambient/makeUUID``.
  static func make(_ makeUUID: () -> String) -> String {
    var text = ""
    // NB: a UUID has six fixed bits. None of them is in its last twelve digits.
    for _ in 0..<3 { text += makeUUID().filter(\.isHexDigit).suffix(12) }
    let bytes = stride(from: 0, to: min(32, text.count - 1), by: 2).compactMap { offset in
      UInt8(text.dropFirst(offset).prefix(2), radix: 16)
    }
    return "000" + Base64.encodeForURL(bytes)
  }
}
