import Foundation

/// The base64 encoding for URLs, without padding (RFC 4648 §5).
enum Base64URL {
  static func encode(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }

  /// Decodes a text.
  ///
  /// - Returns: nil unless the text is exactly the encoding of some bytes.
  static func decode(_ text: String) -> [UInt8]? {
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: base64 + padding) else { return nil }
    let bytes = Array(data)
    // NB: the last base64 digit can have unused bits, so several texts can encode the same bytes.
    // Only one of these texts is accepted.
    return encode(bytes) == text ? bytes : nil
  }
}
