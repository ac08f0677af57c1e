import StratusWire
import Testing

@testable import StratusDomain

/// Continuation markers.
@Suite struct ContinuationMarkers {
  private let marker = ContinuationMarker(
    fingerprint: 0x0102_0304_0506_0708, ordinal: 3, index: 77,
    position: EntryPosition(value: [0, 0xFF, 9], zone: -4, record: 1 << 40))

  @Test func `a marker decodes to the encoded values and is padded base64`() throws {
    let text = marker.text
    #expect(text.utf8.count % 4 == 0)
    #expect(try ContinuationMarker(text: text, fingerprint: marker.fingerprint) == marker)
  }

  @Test func `a marker of another query is refused`() {
    let invalid = ServerError.badRequest("invalid continuation marker")
    #expect(throws: invalid) { try ContinuationMarker(text: marker.text, fingerprint: 1) }
  }

  @Test func `an altered marker is refused`() throws {
    let bytes = try #require(Base64.decode(marker.text))
    let invalid = ServerError.badRequest("invalid continuation marker")
    for place in bytes.indices {
      for change: UInt8 in [1, 0x80] {
        var forged = bytes
        forged[place] ^= change
        #expect(throws: invalid) {
          try ContinuationMarker(
            text: Base64.encode(forged), fingerprint: marker.fingerprint)
        }
      }
    }
    for count in 0..<bytes.count {
      #expect(throws: invalid) {
        try ContinuationMarker(
          text: Base64.encode(Array(bytes.prefix(count))), fingerprint: marker.fingerprint)
      }
    }
    for text in ["", "x", "====", "AAAA"] {
      #expect(throws: invalid) {
        try ContinuationMarker(text: text, fingerprint: marker.fingerprint)
      }
    }
  }
}
