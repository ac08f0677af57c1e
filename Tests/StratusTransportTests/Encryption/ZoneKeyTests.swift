import Crypto
import Foundation
import StratusWire
import Testing

@testable import StratusTransport

@Suite struct `A wrapped zone key` {
  @Test func `a wrapped zone key can be opened only by its account and for its zone`() throws {
    let pair = try Fixture.pair()
    let wrapped = try Fixture.zoneKey().wrapped(for: pair)
    #expect(wrapped.recipient == pair.publicBytes)
    #expect(ZoneKey(wrapped, for: pair, context: Fixture.context)?.id == Fixture.zoneKey().id)
    #expect(ZoneKey(wrapped, for: try Fixture.pair(2), context: Fixture.context) == nil)
    let other = ZoneKeyContext(
      container: "iCloud.a", environment: .development, owner: "_ann", zoneName: "Other")
    #expect(ZoneKey(wrapped, for: pair, context: other) == nil)
  }

  @Test func `a wrapped zone key with a changed byte cannot be opened`() throws {
    let pair = try Fixture.pair()
    let wrapped = try Fixture.zoneKey().wrapped(for: pair)
    #expect(wrapped.wrapped.count == 1 + 32 + 32 + 16)
    for context in wrapped.wrapped.indices {
      var changed = wrapped
      changed.wrapped[context] ^= 1
      #expect(ZoneKey(changed, for: pair, context: Fixture.context) == nil, "byte \(context)")
    }
    var renamed = wrapped
    renamed.keyID[0] ^= 1
    #expect(ZoneKey(renamed, for: pair, context: Fixture.context) == nil)
  }

  /// Everyone with the account's public key, such as the server, can wrap a zone key for the
  /// account. Only the account itself has the private key that authenticates the sender.
  @Test func `a zone key from a sender without the account's private key is refused`() throws {
    let pair = try Fixture.pair()
    let forger = try Fixture.pair(2)
    let key = Fixture.zoneKey()
    let honest = try key.wrapped(for: pair)
    var info = Data()
    let words = [
      "stratus wrapped zone key 1", "iCloud.a", "development", "_ann", "Notes",
    ]
    for word in words { info += [0, 0, 0, UInt8(word.utf8.count)] + Array(word.utf8) }
    info += key.id
    let suite = HPKE.Ciphersuite(
      kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
    let senders = [
      try HPKE.Sender(
        recipientKey: pair.privateKey.publicKey, ciphersuite: suite, info: info),
      try HPKE.Sender(
        recipientKey: pair.privateKey.publicKey, ciphersuite: suite, info: info,
        authenticatedBy: forger.privateKey),
      try HPKE.Sender(
        recipientKey: pair.privateKey.publicKey, ciphersuite: suite, info: info,
        authenticatedBy: pair.privateKey),
    ]
    let opened = try senders.map { sender in
      var sender = sender
      var forged = honest
      forged.wrapped =
        try [1] + sender.encapsulatedKey + sender.seal([UInt8](repeating: 7, count: 32))
      return ZoneKey(forged, for: pair, context: Fixture.context) != nil
    }
    // The last sender is the account itself. Its success shows that the other senders fail only
    // because of their keys.
    #expect(opened == [false, false, true])
  }

  @Test func `a user has a different public key in each container and environment`() throws {
    let key = try Fixture.accountKey()
    let keys = [
      try key.publicKey(of: "_ann", container: "iCloud.a", environment: .development),
      try key.publicKey(of: "_ann", container: "iCloud.b", environment: .development),
      try key.publicKey(of: "_ann", container: "iCloud.a", environment: .production),
      try key.publicKey(of: "_bob", container: "iCloud.a", environment: .development),
    ]
    #expect(Set(keys).count == 4)
    #expect(keys.allSatisfy { $0.count == UserKey.length })
  }
}
