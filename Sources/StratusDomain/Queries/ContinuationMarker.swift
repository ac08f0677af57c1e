import StratusWire

/// The end of a page of a query. Clients carry it as an opaque text. The server validates the text
/// when a client sends it back.
struct ContinuationMarker: Sendable, Hashable {
  /// Identifies the query that the pages belong to.
  var fingerprint: UInt64
  /// The position of the candidate that answers the query, among the query's candidates.
  var ordinal: Int
  var index: Int64
  /// The position of the last entry of the page. How its value is encoded depends on the candidate.
  var position: EntryPosition

  private static let version: UInt8 = 2
  private static let headCount = 1 + 8 + 2 + 8 + 8 + 8 + 4
  private static let checkCount = 8

  init(fingerprint: UInt64, ordinal: Int, index: Int64, position: EntryPosition) {
    self.fingerprint = fingerprint
    self.ordinal = ordinal
    self.index = index
    self.position = position
  }

  /// Padded standard base64, because clients decode and encode it again (web-services §6).
  var text: String {
    var bytes: [UInt8] = [Self.version]
    bytes.append(fingerprint)
    bytes.append(UInt16(clamping: ordinal))
    bytes.append(UInt64(bitPattern: index))
    bytes.append(UInt64(bitPattern: position.zone))
    bytes.append(UInt64(bitPattern: position.record))
    bytes.append(UInt32(clamping: position.value.count))
    bytes += position.value
    bytes.append(Fingerprint(bytes).value)
    return Base64.encode(bytes)
  }

  /// - Throws: `BAD_REQUEST` if the text is not a valid marker, or belongs to another query.
  init(text: String, fingerprint: UInt64) throws(ServerError) {
    let invalid = ServerError.badRequest(Reason.markerInvalid)
    guard let bytes = Base64.decode(text), bytes.first == Self.version,
      bytes.count >= Self.headCount + Self.checkCount
    else { throw invalid }
    let body = Array(bytes.dropLast(Self.checkCount))
    func number(_ start: Int, _ count: Int, of bytes: [UInt8]) -> UInt64 {
      bytes[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let valueCount = Int(number(35, 4, of: body))
    guard number(body.count, 8, of: bytes) == Fingerprint(body).value,
      number(1, 8, of: body) == fingerprint, body.count == Self.headCount + valueCount
    else { throw invalid }
    self.fingerprint = fingerprint
    ordinal = Int(number(9, 2, of: body))
    index = Int64(bitPattern: number(11, 8, of: body))
    position = EntryPosition(
      value: Array(body[Self.headCount...]),
      zone: Int64(bitPattern: number(19, 8, of: body)),
      record: Int64(bitPattern: number(27, 8, of: body)))
  }
}

/// A hash (FNV-1a) that distinguishes texts. It does not protect against forgery.
struct Fingerprint {
  private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

  init() {}

  init(_ bytes: some Sequence<UInt8>) { add(bytes) }

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // NB: a separator follows each part, so that "a", "bc" differs from "ab", "c".
    value = (value ^ 0x100) &* 0x100_0000_01b3
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(_ number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.bigEndian) { append(contentsOf: $0) }
  }
}
