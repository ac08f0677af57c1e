/// A value in the compact binary encoding CBOR (RFC 8949), as authenticators write it.
///
/// The reader accepts only what WebAuthn needs: no tags, no floating-point numbers and no items of
/// indefinite length.
indirect enum CBOR: Sendable, Hashable {
  /// An integer. Integers outside the range of `Int64` are refused.
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case array([CBOR])
  /// The pairs of a map. No key occurs twice.
  case map([CBOR: CBOR])
  case bool(Bool)
  case null

  /// The reason why some bytes are refused.
  enum Fault: Error, Sendable, Hashable {
    case endsEarly
    case isUnsupported
    case isTooDeep
    case hasTooManyItems
    case hasRepeatedKey
    case isNotText
    case hasMoreBytes
  }

  /// The maximum depth of arrays and maps. An attestation with certificates has depth 3.
  static let depthMax = 4
  /// The maximum number of items in all arrays and maps together. Choice: an attestation has fewer
  /// than 30.
  static let itemsMax = 256

  /// Reads exactly one value.
  init(_ bytes: [UInt8]) throws(Fault) {
    var reader = CBORReader(bytes)
    self = try reader.value()
    if reader.index != bytes.count { throw .hasMoreBytes }
  }

  subscript(_ key: Int64) -> CBOR? {
    if case .map(let pairs) = self { pairs[.integer(key)] } else { nil }
  }

  subscript(_ key: String) -> CBOR? {
    if case .map(let pairs) = self { pairs[.text(key)] } else { nil }
  }

  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
}

/// Reads values one after the other.
struct CBORReader {
  private let bytes: [UInt8]
  /// The index of the byte after the last value that was read.
  private(set) var index: Int
  private var items = 0

  init(_ bytes: [UInt8], at index: Int = 0) {
    self.bytes = bytes
    self.index = index
  }

  mutating func value() throws(CBOR.Fault) -> CBOR { try value(depth: 0) }

  private mutating func value(depth: Int) throws(CBOR.Fault) -> CBOR {
    guard index < bytes.count else { throw .endsEarly }
    let head = bytes[index]
    index += 1
    let (major, info) = (head >> 5, head & 0x1F)
    if major == 7 {
      switch info {
      case 20: return .bool(false)
      case 21: return .bool(true)
      case 22: return .null
      default: throw .isUnsupported
      }
    }
    let argument = try argument(info)
    switch major {
    case 0:
      guard let value = Int64(exactly: argument) else { throw .isUnsupported }
      return .integer(value)
    case 1:
      guard let value = Int64(exactly: argument) else { throw .isUnsupported }
      return .integer(-1 - value)
    case 2: return .bytes(Array(try take(argument)))
    case 3:
      guard let text = String(validating: try take(argument), as: UTF8.self) else {
        throw .isNotText
      }
      return .text(text)
    case 4:
      var elements: [CBOR] = []
      for _ in 0..<(try count(argument, depth: depth)) {
        elements.append(try value(depth: depth + 1))
      }
      return .array(elements)
    case 5:
      var pairs: [CBOR: CBOR] = [:]
      for _ in 0..<(try count(argument, depth: depth)) {
        let key = try value(depth: depth + 1)
        let value = try self.value(depth: depth + 1)
        guard pairs.updateValue(value, forKey: key) == nil else { throw .hasRepeatedKey }
      }
      return .map(pairs)
    default: throw .isUnsupported
    }
  }

  /// Reads the number after the first byte: a value, or a length.
  private mutating func argument(_ info: UInt8) throws(CBOR.Fault) -> UInt64 {
    switch info {
    case 0...23: return UInt64(info)
    case 24...27: return try take(1 << UInt64(info - 24)).reduce(0) { $0 << 8 | UInt64($1) }
    default: throw .isUnsupported
    }
  }

  private mutating func take(_ count: UInt64) throws(CBOR.Fault) -> ArraySlice<UInt8> {
    guard count <= UInt64(bytes.count - index) else { throw .endsEarly }
    let taken = bytes[index..<(index + Int(count))]
    index += Int(count)
    return taken
  }

  /// Checks the length of an array or a map before its elements are read.
  private mutating func count(_ argument: UInt64, depth: Int) throws(CBOR.Fault) -> Int {
    guard depth < CBOR.depthMax else { throw .isTooDeep }
    guard argument <= UInt64(CBOR.itemsMax - items) else { throw .hasTooManyItems }
    items += Int(argument)
    return Int(argument)
  }
}
