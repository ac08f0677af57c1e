/// The encoding of bytes as letters and digits (RFC 4648 §6), without padding.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

  static func encode(_ bytes: [UInt8]) -> String {
    var text = ""
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xFFF
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[bits >> count & 31])
      }
    }
    if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
    return text
  }

  /// Divides a text into groups of four characters, so that people can copy it.
  static func grouped(_ text: String) -> String {
    let characters = Array(text)
    return stride(from: 0, to: characters.count, by: 4).map { start in
      String(characters[start..<min(start + 4, characters.count)])
    }.joined(separator: " ")
  }
}
