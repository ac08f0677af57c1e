import Foundation

/// The key of a zone or of a shared hierarchy, encrypted for a user or for the URL of a share. The
/// server stores keys only in this encrypted form.
public struct WrappedZoneKey: Sendable, Hashable {
  /// The ID of the zone key. Every value that was sealed with the zone key contains this ID, which
  /// has ``SealedEnvelope/keyIDLength`` bytes.
  public var keyID: [UInt8]
  /// The public key of the user for whom the zone key is encrypted, or the ID of the secret in the
  /// URL of a share. It has ``UserKey/length`` bytes.
  public var recipient: [UInt8]
  /// The encrypted zone key. Only the user with the private key, or a person with the URL of the
  /// share, can decrypt it.
  public var wrapped: [UInt8]
  /// The root of the shared hierarchy whose records the key encrypts, or nil if the key belongs to
  /// the zone.
  public var rootRecordName: String?
  /// Whether a participant has left or was removed since the key was created. A retired key seals
  /// no new values. Only the server sets this flag.
  public var isRetired = false

  /// The way in which a key is wrapped. The number is the first byte of ``wrapped``.
  public enum Form: UInt8, Sendable {
    /// A user's device has wrapped the key for the same user.
    case own = 1
    /// The key is wrapped for the secret in the URL of a share. `recipient` identifies the secret.
    case link = 2
    /// The key is wrapped for another member of the zone. The member needs an earlier key to
    /// decrypt it.
    case rotated = 3
  }

  /// The way in which the key is wrapped, or nil if this version does not know it.
  public var form: Form? { wrapped.first.flatMap(Form.init) }

  public init(
    keyID: [UInt8], recipient: [UInt8], wrapped: [UInt8], rootRecordName: String? = nil
  ) {
    self.rootRecordName = rootRecordName
    self.keyID = keyID
    self.recipient = recipient
    self.wrapped = wrapped
  }
}

/// The public half of a user's key pair, as raw X25519 bytes.
public enum UserKey {
  /// The length of a public key in bytes.
  public static let length = 32
}

extension WrappedZoneKey: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("keyID", base64: keyID)
      writer.member("recipient", base64: recipient)
      writer.member("wrapped", base64: wrapped)
      writer.member("rootRecordName", rootRecordName)
      if isRetired { writer.member("isRetired", true) }
    }
  }

  /// - Throws: ``WireError`` if a part has the wrong length.
  public init(json: JSONView) throws(WireError) {
    keyID = try json.requiredBytes("keyID", count: SealedEnvelope.keyIDLength)
    recipient = try json.requiredBytes("recipient", count: UserKey.length)
    wrapped = try json.requiredBytes("wrapped")
    rootRecordName = try json.optionalString("rootRecordName")
    isRetired = try json.optionalBool("isRetired") ?? false
    guard !wrapped.isEmpty, wrapped.count <= Limits.wrappedKeyBytesMax else {
      throw WireError("'wrapped' must hold 1 to \(Limits.wrappedKeyBytesMax) bytes")
    }
  }
}

extension JSONWriter {
  /// Writes a member whose value is bytes in base64. Writes nothing if `bytes` is nil.
  mutating func member(_ key: StaticString, base64 bytes: [UInt8]?) {
    member(key, bytes.map { Data($0).base64EncodedString() })
  }
}

extension JSONView {
  /// Reads a required member whose value is bytes in base64.
  func requiredBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8] {
    guard let bytes = try optionalBytes(key, count: count) else { throw .missing(key) }
    return bytes
  }

  /// Reads an optional member whose value is bytes in base64. A value of another type is an error.
  func optionalBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8]? {
    guard let text = try optionalString(key) else { return nil }
    guard let data = Data(base64Encoded: text), data.count == count ?? data.count else {
      throw .wrongType(key, expected: "base64 of the right length")
    }
    return Array(data)
  }
}
