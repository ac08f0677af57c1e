import StratusWire
import Testing

@testable import StratusTransport

/// Tests of the two forms in which members get the keys of a shared zone: encrypted for the secret
/// of the URL, and encrypted for one member.
@Suite struct `Keys of a shared zone` {
  private let context = ZoneKeyContext(
    container: "iCloud.org.example.Notes", environment: .development, owner: "_ann",
    zoneName: "Trips")

  private func bytes(_ byte: UInt8) -> (Int) -> [UInt8] { { [UInt8](repeating: byte, count: $0) } }

  private func key(_ byte: UInt8) -> ZoneKey {
    ZoneKey([UInt8](repeating: byte, count: ZoneKey.length), of: context)
  }

  private func pair(_ byte: UInt8, of user: String) throws -> UserKeyPair {
    try AccountKey(drawnFrom: bytes(byte)).pair(
      of: user, container: context.container, environment: context.environment)
  }

  @Test func `a wrapped zone key opens only with the URL's secret and for its own zone`() throws {
    let secret = ShareSecret(of: key(1))
    let wrapped = try key(2).wrapped(for: secret, randomness: bytes(9))
    #expect(ZoneKey(wrapped, for: secret, context: context)?.id == key(2).id)
    #expect(ZoneKey(wrapped, for: ShareSecret(of: key(2)), context: context) == nil)
    let other = ZoneKeyContext(
      container: context.container, environment: .production, owner: "_ann", zoneName: "Trips")
    #expect(ZoneKey(wrapped, for: secret, context: other) == nil)
    for index in wrapped.wrapped.indices {
      var damaged = wrapped
      damaged.wrapped[index] ^= 1
      #expect(ZoneKey(damaged, for: secret, context: context) == nil)
    }
  }

  @Test func `the text of a URL's secret is read back, and malformed texts are refused`() throws {
    let secret = ShareSecret(of: key(1))
    #expect(secret.text.count == 22)
    #expect(ShareSecret(text: secret.text) == secret)
    for text in ["", "short", secret.text + "A", String(repeating: "%", count: 22)] {
      #expect(ShareSecret(text: text) == nil)
    }
  }

  @Test func `the secret of a URL differs from key to key and from zone to zone`() {
    #expect(ShareSecret(of: key(1)) != ShareSecret(of: key(2)))
    let other = ZoneKeyContext(
      container: context.container, environment: .development, owner: "_bob", zoneName: "Trips")
    let bytes = [UInt8](repeating: 1, count: ZoneKey.length)
    #expect(ShareSecret(of: ZoneKey(bytes, of: other)) != ShareSecret(of: key(1)))
  }

  @Test func `a member opens a new zone key only with the earlier key and its own private key`()
    throws
  {
    let (bob, eve) = (try pair(1, of: "_bob"), try pair(2, of: "_eve"))
    let wrapped = try key(2).wrapped(forMember: bob.publicBytes, after: key(1))
    let known = [key(1).id: key(1)]
    #expect(ZoneKey(wrapped, for: bob, knowing: known, context: context)?.id == key(2).id)
    // A server that names a public key of its own does not have the earlier key.
    #expect(ZoneKey(wrapped, for: bob, knowing: [:], context: context) == nil)
    #expect(
      ZoneKey(wrapped, for: bob, knowing: [key(1).id: key(3)], context: context) == nil)
    // A removed user has the earlier key, but not the private key of a member.
    var stolen = wrapped
    stolen.recipient = eve.publicBytes
    #expect(ZoneKey(stolen, for: eve, knowing: known, context: context) == nil)
  }
}
