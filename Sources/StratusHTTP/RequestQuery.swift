import StratusDomain

/// The query parameters that the server reads from a URL. All other parameters are ignored.
struct RequestQuery: Sendable, Equatable {
  var credentials = Credentials(apiToken: nil, webAuthToken: nil)
  var clientID: String?
  var wantsSyncToken = false
  var clientBuildNumber: String?

  init(_ query: Substring?) {
    guard var query else { return }
    query.withUTF8 { text in
      for pair in text.split(separator: UInt8(ascii: "&")) {
        guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
        take(key: text[pair.startIndex..<equals], value: text[(equals + 1)..<pair.endIndex])
      }
    }
  }

  private typealias Text = Slice<UnsafeBufferPointer<UInt8>>

  private mutating func take(key: Text, value: Text) {
    if key.elementsEqual("ckAPIToken".utf8) {
      credentials.apiToken = Self.decode(value)
    } else if key.elementsEqual("ckWebAuthToken".utf8) {
      credentials.webAuthToken = Self.decode(value)
    } else if key.elementsEqual("clientId".utf8) {
      clientID = Self.decode(value)
    } else if key.elementsEqual("clientBuildNumber".utf8) {
      clientBuildNumber = Self.decode(value)
    } else if key.elementsEqual("getCurrentSyncToken".utf8) {
      wantsSyncToken = value.elementsEqual("True".utf8) || value.elementsEqual("true".utf8)
    }
  }

  /// NB: a plus sign is not decoded as a space, because scripts forget to encode plus signs and no
  /// valid value contains a space. A wrongly encoded value is not changed, and matches no token.
  private static func decode(_ text: Text) -> String {
    let plain = String(decoding: text, as: UTF8.self)
    guard text.contains(UInt8(ascii: "%")) else { return plain }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var position = text.startIndex
    while position < text.endIndex {
      guard text[position] == UInt8(ascii: "%") else {
        bytes.append(text[position])
        position += 1
        continue
      }
      guard position + 2 < text.endIndex, let high = hexDigit(text[position + 1]),
        let low = hexDigit(text[position + 2])
      else { return plain }
      bytes.append(high << 4 | low)
      position += 3
    }
    return String(validating: bytes, as: UTF8.self) ?? plain
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
