import StratusWire
import Testing

@testable import StratusDomain

/// Continuation markers of queries.
@Suite struct ContinuationMarkers {
  private let marker = ContinuationMarker(
    fingerprint: 0x0102_0304_0506_0708, ordinal: 3, index: 77,
    position: EntryPosition(value: [0, 0xFF, 9], zone: -4, record: 1 << 40))

  private let signer = PlainSigner()
  private var text: String { marker.text(encryptedBy: signer, sortCount: 1) }

  @Test func `a marker decodes to the encoded values and is padded base64`() throws {
    #expect(text.utf8.count % 4 == 0)
    #expect(
      try ContinuationMarker(
        text: text, fingerprint: marker.fingerprint, encryptedBy: signer) == marker)
  }

  @Test func `a marker of another query is refused`() {
    let invalid = ServerError.badRequest("invalid continuation marker")
    #expect(throws: invalid) {
      try ContinuationMarker(text: text, fingerprint: 1, encryptedBy: signer)
    }
  }

  @Test func `a marker with an altered character is refused`() throws {
    let bytes = try #require(Base64.decode(text))
    let invalid = ServerError.badRequest("invalid continuation marker")
    for place in bytes.indices {
      for change: UInt8 in [1, 0x80] {
        var forged = bytes
        forged[place] ^= change
        #expect(throws: invalid) {
          try ContinuationMarker(
            text: Base64.encode(forged), fingerprint: marker.fingerprint, encryptedBy: signer)
        }
      }
    }
    for count in 0..<bytes.count {
      #expect(throws: invalid) {
        try ContinuationMarker(
          text: Base64.encode(Array(bytes.prefix(count))), fingerprint: marker.fingerprint,
          encryptedBy: signer)
      }
    }
    for text in ["", "x", "====", "AAAA"] {
      #expect(throws: invalid) {
        try ContinuationMarker(
          text: text, fingerprint: marker.fingerprint, encryptedBy: signer)
      }
    }
  }

  @Test func `the length of a marker does not show the length of the value`() {
    // The longest column has 1 + 800 + 2 bytes: its tag, a text of 400 zero bytes that take two
    // bytes each, and its end. A distance and the byte that may follow it take 10 bytes.
    for sortCount in 0...2 {
      let longest = max(1, sortCount) * (1 + 800 + 2) + 10
      let lengths = [0, 1, 9, 127, 128, 129, longest].map { count in
        var marker = marker
        marker.position.value = [UInt8](repeating: 7, count: count)
        return marker.text(encryptedBy: signer, sortCount: sortCount).utf8.count
      }
      #expect(Set(lengths).count == 1)
    }
  }

  /// A marker of version 2: fingerprint 1, ordinal 0, index 2, zone 3, record 4, the value [5].
  @Test func `a marker of an earlier release is still read`() throws {
    var bytes: [UInt8] = [2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    bytes += [0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1, 5]
    let check = Fingerprint(bytes).value
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: check >> (56 - 8 * $0)) }
    let marker = try ContinuationMarker(
      text: Base64.encode(bytes), fingerprint: 1, encryptedBy: signer)
    #expect(
      marker
        == ContinuationMarker(
          fingerprint: 1, ordinal: 0, index: 2,
          position: EntryPosition(value: [5], zone: 3, record: 4)))
  }
}
