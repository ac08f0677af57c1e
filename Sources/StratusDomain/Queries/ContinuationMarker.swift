import StratusWire

/// The position where a page of a query ends. Clients keep it as an opaque text, and the server
/// validates the text when a client sends it back.
struct ContinuationMarker: Sendable, Hashable {
  /// Identifies the query that the pages belong to.
  var fingerprint: UInt64
  /// The candidate that answers the query, by its position in the query's list of candidates.
  var ordinal: Int
  var index: Int64
  /// The position of the last entry of the page. The candidate decides how the position's value is
  /// encoded.
  var position: EntryPosition

  private static let version: UInt8 = 3
  /// The version of markers that were not encrypted. Clients may still hold some of them.
  private static let plainVersion: UInt8 = 2
  private static let headCount = 8 + 2 + 8 + 8 + 8 + 4
  private static let checkCount = 8

  init(fingerprint: UInt64, ordinal: Int, index: Int64, position: EntryPosition) {
    self.fingerprint = fingerprint
    self.ordinal = ordinal
    self.index = index
    self.position = position
  }

  /// Returns the marker as padded standard base64, because clients decode and encode it again.
  ///
  /// The marker is encrypted. A page may end at an index entry of a record that the caller may not
  /// read, and the position contains that entry's values. All markers of one query have the same
  /// length, because the length of the value would reveal something about that record.
  ///
  /// - Parameter sortCount: the number of the query's sorts.
  func text(encryptedBy signer: any TicketSigner, sortCount: Int) -> String {
    var bytes: [UInt8] = []
    bytes.append(fingerprint)
    bytes.append(UInt16(clamping: ordinal))
    bytes.append(UInt64(bitPattern: index))
    bytes.append(UInt64(bitPattern: position.zone))
    bytes.append(UInt64(bitPattern: position.record))
    bytes.append(UInt32(clamping: position.value.count))
    bytes += position.value
    let width = Self.valueBytesMax(sortCount: sortCount)
    bytes += [UInt8](repeating: 0, count: max(0, width - position.value.count))
    return Base64.encode([Self.version] + signer.encrypted(bytes))
  }

  /// Returns the maximum length of a position's value: one column for each sort, and a distance. A
  /// query without sorts may read an index with one column.
  private static func valueBytesMax(sortCount: Int) -> Int {
    max(1, sortCount) * ColumnBytes.columnBytesMax + ColumnBytes.distanceBytesMax
  }

  /// - Throws: `BAD_REQUEST` if the text is not a valid marker, or belongs to another query.
  init(
    text: String, fingerprint: UInt64, encryptedBy signer: any TicketSigner
  ) throws(ServerError) {
    guard let body = Self.body(of: text, signer), body.count >= Self.headCount else {
      throw .badRequest(Reason.markerInvalid)
    }
    func number(_ start: Int, _ count: Int) -> UInt64 {
      body[start..<start + count].reduce(0) { $0 << 8 | UInt64($1) }
    }
    let end = Self.headCount + Int(number(34, 4))
    guard number(0, 8) == fingerprint, body.count >= end else {
      throw .badRequest(Reason.markerInvalid)
    }
    self.fingerprint = fingerprint
    ordinal = Int(number(8, 2))
    index = Int64(bitPattern: number(10, 8))
    position = EntryPosition(
      value: Array(body[Self.headCount..<end]),
      zone: Int64(bitPattern: number(18, 8)),
      record: Int64(bitPattern: number(26, 8)))
  }

  /// Returns the contents of a marker, decrypted if necessary. Returns nil if the text is not a
  /// valid marker.
  private static func body(of text: String, _ signer: any TicketSigner) -> [UInt8]? {
    guard let bytes = Base64.decode(text), let first = bytes.first else { return nil }
    if first == version { return signer.decrypted(Array(bytes.dropFirst())) }
    guard first == plainVersion, bytes.count > 1 + checkCount else { return nil }
    let check = bytes.suffix(checkCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let checked = bytes.dropLast(checkCount)
    return check == Fingerprint(checked).value ? Array(checked.dropFirst()) : nil
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
