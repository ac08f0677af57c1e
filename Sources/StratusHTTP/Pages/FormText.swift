/// Reads the fields of a form or of a URL's query (`application/x-www-form-urlencoded`).
enum FormText {
  private static let fieldsMax = 50

  /// Returns the first value of each name.
  ///
  /// - Returns: nil if a percent sign is not followed by two hexadecimal digits, if the bytes are
  ///   not UTF-8, or if there are too many fields.
  static func fields(_ bytes: some Sequence<UInt8>) -> [String: String]? {
    var fields: [String: String] = [:]
    var (name, value): ([UInt8]?, [UInt8]) = (nil, [])
    var count = 0
    func end() -> Bool {
      defer { (name, value) = (nil, []) }
      if name == nil, value.isEmpty { return true }
      count += 1
      guard count <= fieldsMax, let key = text(name ?? value),
        let content = name == nil ? "" : text(value)
      else { return false }
      if fields[key] == nil { fields[key] = content }
      return true
    }
    for byte in bytes {
      if byte == UInt8(ascii: "&") {
        guard end() else { return nil }
      } else if byte == UInt8(ascii: "="), name == nil {
        (name, value) = (value, [])
      } else {
        value.append(byte)
      }
    }
    return end() ? fields : nil
  }

  private static func text(_ encoded: [UInt8]) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var index = 0
    while index < encoded.count {
      switch encoded[index] {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < encoded.count, let high = digit(encoded[index + 1]),
          let low = digit(encoded[index + 2])
        else { return nil }
        bytes.append(high << 4 | low)
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

/// Reads the `Cookie` field of a request (RFC 6265 §4.2).
enum CookieText {
  private static let cookiesMax = 50

  /// Returns the first value of each name. Malformed parts of the field are ignored.
  static func cookies(_ field: String?) -> [String: String] {
    var cookies: [String: String] = [:]
    for pair in (field ?? "").split(separator: ";").prefix(cookiesMax) {
      let trimmed = pair.drop { $0 == " " }
      guard let equals = trimmed.firstIndex(of: "=") else { continue }
      let name = String(trimmed[..<equals])
      if name.isEmpty || cookies[name] != nil { continue }
      cookies[name] = String(trimmed[trimmed.index(after: equals)...])
    }
    return cookies
  }
}
