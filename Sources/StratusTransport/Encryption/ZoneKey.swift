import Crypto
import Foundation
import StratusWire

/// The zone of a key, and the shared hierarchy if the key belongs to one. Both are authenticated
/// together with the values that the key encrypts.
struct ZoneKeyContext: Sendable, Hashable {
  let container: String
  let environment: ContainerEnvironment
  /// The user record name of the zone's owner.
  let owner: String
  let zoneName: String
  /// The root of the shared hierarchy to which the key belongs, or nil for a key of the zone.
  var root: String?

  /// Returns the context of the same zone with another hierarchy.
  func scoped(to root: String?) -> ZoneKeyContext {
    var context = self
    context.root = root
    return context
  }

  /// Returns the bytes of a purpose, the zone, the hierarchy if there is one, and further names.
  func binding(_ purpose: String, _ names: String...) -> Binding {
    let scope = root.map { ["of a shared hierarchy", $0] } ?? []
    return Binding([purpose, container, environment.rawValue, owner, zoneName] + scope + names)
  }
}

/// The decrypted key of one zone or of one shared hierarchy.
public struct ZoneKey: Sendable {
  /// The length of the key in bytes.
  static let length = 32
  static let suite = HPKE.Ciphersuite(
    kem: .Curve25519_HKDF_SHA256, kdf: .HKDF_SHA256, aead: .AES_GCM_256)
  let context: ZoneKeyContext
  let key: SymmetricKey
  /// The ID of the key, which is derived from the key itself.
  public let id: [UInt8]

  init(_ bytes: [UInt8], of context: ZoneKeyContext) {
    self.context = context
    key = SymmetricKey(data: bytes)
    id =
      HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key, info: Binding("stratus zone key ID 1").bytes,
        outputByteCount: SealedEnvelope.keyIDLength
      ).rawBytes
  }

  /// Encrypts the zone key for the account of the key pair.
  ///
  /// The encryption is HPKE in auth mode. The account's private key proves that the account itself
  /// encrypted the zone key. In base mode, anyone who knows the public key could insert another
  /// zone key.
  func wrapped(for pair: UserKeyPair) throws(KeyFailure) -> WrappedZoneKey {
    do {
      var sender = try HPKE.Sender(
        recipientKey: pair.privateKey.publicKey, ciphersuite: Self.suite,
        info: Self.info(id, context), authenticatedBy: pair.privateKey)
      let sealed = try sender.seal(key.rawBytes)
      return WrappedZoneKey(
        keyID: id, recipient: pair.publicBytes,
        wrapped: [WrappedZoneKey.Form.own.rawValue] + sender.encapsulatedKey + sealed,
        rootRecordName: context.root)
    } catch {
      throw .unusable("a zone key cannot be wrapped")
    }
  }

  /// Decrypts a wrapped key. Returns nil if the key is not for this account and zone, or if another
  /// account wrapped it.
  init?(_ wrapped: WrappedZoneKey, for pair: UserKeyPair, context: ZoneKeyContext) {
    let bytes = wrapped.wrapped
    guard wrapped.form == .own, bytes.count > 1 + UserKey.length,
      wrapped.recipient == pair.publicBytes
    else { return nil }
    let encapsulated = Data(bytes[1...UserKey.length])
    guard
      var recipient = try? HPKE.Recipient(
        privateKey: pair.privateKey, ciphersuite: Self.suite,
        info: Self.info(wrapped.keyID, context), encapsulatedKey: encapsulated,
        authenticatedBy: pair.privateKey.publicKey),
      let opened = try? recipient.open(Data(bytes[(1 + UserKey.length)...])),
      opened.count == Self.length
    else { return nil }
    self.init(Array(opened), of: context)
    guard id == wrapped.keyID else { return nil }
  }

  private static func info(_ keyID: [UInt8], _ context: ZoneKeyContext) -> Data {
    Data(context.binding("stratus wrapped zone key 1").bytes + keyID)
  }

  /// Returns the key of one record of the zone.
  public func recordKey(of recordName: String) -> RecordKey {
    RecordKey(
      key: HKDF<SHA256>.deriveKey(
        inputKeyMaterial: key, info: context.binding("stratus record key 1", recordName).bytes,
        outputByteCount: 32),
      zoneKeyID: id, context: context, recordName: recordName)
  }
}
