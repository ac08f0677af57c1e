import Crypto
import Foundation
import StratusWire

/// The forms in which the members of a shared zone get its keys (docs/internals/encryption.md).
extension ZoneKey {
  // For the URL of the share

  /// Encrypts the key for people who have the URL of the share.
  ///
  /// - Parameter randomness: returns the given number of random bytes, for the nonce.
  func wrapped(
    for secret: ShareSecret, randomness: (Int) -> [UInt8]
  ) throws(KeyFailure) -> WrappedZoneKey {
    do {
      let nonce = try AES.GCM.Nonce(data: randomness(SealedEnvelope.nonceLength))
      let box = try AES.GCM.seal(
        key.rawBytes, using: secret.key(in: context), nonce: nonce,
        authenticating: Self.linkInfo(id, context))
      return WrappedZoneKey(
        keyID: id, recipient: secret.id(in: context),
        wrapped: [WrappedZoneKey.Form.link.rawValue] + Array(nonce) + Array(box.ciphertext)
          + Array(box.tag), rootRecordName: context.root)
    } catch {
      throw .unusable("a zone key cannot be wrapped")
    }
  }

  /// Decrypts a key that is wrapped for the URL of a share. Returns nil if it is wrapped for
  /// another secret or zone, or is damaged.
  init?(_ wrapped: WrappedZoneKey, for secret: ShareSecret, context: ZoneKeyContext) {
    guard wrapped.form == .link, wrapped.recipient == secret.id(in: context),
      let box = try? AES.GCM.SealedBox(combined: Data(wrapped.wrapped.dropFirst())),
      let opened = try? AES.GCM.open(
        box, using: secret.key(in: context),
        authenticating: Self.linkInfo(wrapped.keyID, context)),
      opened.count == Self.length
    else { return nil }
    self.init(Array(opened), of: context)
    guard id == wrapped.keyID else { return nil }
  }

  private static func linkInfo(_ keyID: [UInt8], _ context: ZoneKeyContext) -> Data {
    Data(context.binding("stratus linked zone key 1").bytes + keyID)
  }

  // For members who have an earlier key

  /// Encrypts the key for a member of the zone.
  ///
  /// The encryption is HPKE with an earlier key of the zone as the pre-shared key. A user who has
  /// been removed has the earlier key, but no member's private key. The server, which could name a
  /// public key of its own, has no earlier key.
  ///
  /// - Parameter old: an earlier key, which the members have.
  func wrapped(
    forMember publicKey: [UInt8], after old: ZoneKey
  ) throws(KeyFailure) -> WrappedZoneKey {
    do {
      var sender = try HPKE.Sender(
        recipientKey: try Curve25519.KeyAgreement.PublicKey(rawRepresentation: publicKey),
        ciphersuite: Self.suite, info: Self.memberInfo(id, context),
        presharedKey: old.presharedKey, presharedKeyIdentifier: Data(old.id))
      let sealed = try sender.seal(key.rawBytes)
      return WrappedZoneKey(
        keyID: id, recipient: publicKey,
        wrapped: [WrappedZoneKey.Form.rotated.rawValue] + old.id + Array(sender.encapsulatedKey)
          + Array(sealed), rootRecordName: context.root)
    } catch {
      throw .unusable("a zone key cannot be wrapped")
    }
  }

  /// Decrypts a key that another member has wrapped for this account. Returns nil if none of the
  /// known keys is the earlier key, or if the wrapped key is damaged.
  init?(
    _ wrapped: WrappedZoneKey, for pair: UserKeyPair, knowing keys: [[UInt8]: ZoneKey],
    context: ZoneKeyContext
  ) {
    let bytes = wrapped.wrapped.dropFirst()
    let idEnd = SealedEnvelope.keyIDLength
    guard wrapped.form == .rotated, wrapped.recipient == pair.publicBytes,
      bytes.count > idEnd + UserKey.length, let old = keys[Array(bytes.prefix(idEnd))],
      var recipient = try? HPKE.Recipient(
        privateKey: pair.privateKey, ciphersuite: Self.suite,
        info: Self.memberInfo(wrapped.keyID, context),
        encapsulatedKey: Data(bytes.dropFirst(idEnd).prefix(UserKey.length)),
        presharedKey: old.presharedKey, presharedKeyIdentifier: Data(old.id)),
      let opened = try? recipient.open(Data(bytes.dropFirst(idEnd + UserKey.length))),
      opened.count == Self.length
    else { return nil }
    self.init(Array(opened), of: context)
    guard id == wrapped.keyID else { return nil }
  }

  private var presharedKey: SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, info: context.binding("stratus pre-shared zone key 1").data,
      outputByteCount: 32)
  }

  private static func memberInfo(_ keyID: [UInt8], _ context: ZoneKeyContext) -> Data {
    Data(context.binding("stratus rotated zone key 1").bytes + keyID)
  }
}
