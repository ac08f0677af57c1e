import Foundation

/// A zone's key as the server stores it, sealed to a user's public key.
public struct WrappedZoneKey: Sendable, Hashable {
  /// The ID of the key, ``SealedEnvelope/keyIDLength`` bytes. Every value that was sealed with the
  /// key contains this ID.
  public var keyID: [UInt8]
  /// The public key whose private half opens the zone key. ``UserKey/length`` bytes.
  public var recipient: [UInt8]
  /// The sealed key. Only the recipient can open it.
  public var wrapped: [UInt8]

  public init(keyID: [UInt8], recipient: [UInt8], wrapped: [UInt8]) {
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
    }
  }

  /// - Throws: ``WireError`` if a part has the wrong length.
  public init(json: JSONView) throws(WireError) {
    keyID = try json.requiredBytes("keyID", count: SealedEnvelope.keyIDLength)
    recipient = try json.requiredBytes("recipient", count: UserKey.length)
    wrapped = try json.requiredBytes("wrapped")
    guard !wrapped.isEmpty, wrapped.count <= Limits.wrappedKeyBytesMax else {
      throw WireError("'wrapped' must hold 1 to \(Limits.wrappedKeyBytesMax) bytes")
    }
  }
}

extension JSONWriter {
  /// Writes bytes as a base64 member. nil writes nothing.
  mutating func member(_ key: StaticString, base64 bytes: [UInt8]?) {
    member(key, bytes.map { Data($0).base64EncodedString() })
  }
}

extension JSONView {
  /// Reads required bytes in base64.
  func requiredBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8] {
    guard let bytes = try optionalBytes(key, count: count) else { throw .missing(key) }
    return bytes
  }

  /// Reads optional bytes in base64. A value of another type is an error.
  func optionalBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8]? {
    guard let text = try optionalString(key) else { return nil }
    guard let data = Data(base64Encoded: text), data.count == count ?? data.count else {
      throw .wrongType(key, expected: "base64 of the right length")
    }
    return Array(data)
  }
}
