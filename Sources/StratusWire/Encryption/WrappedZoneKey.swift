import Foundation

/// A zone's key as the server keeps it: sealed to a user's public key.
public struct WrappedZoneKey: Sendable, Hashable {
  /// Names the key; ``SealedEnvelope/keyIDLength`` bytes, which every value it sealed carries.
  public var keyID: [UInt8]
  /// The public key whose private half opens it; ``UserKey/length`` bytes.
  public var recipient: [UInt8]
  /// What only the recipient can open.
  public var wrapped: [UInt8]

  public init(keyID: [UInt8], recipient: [UInt8], wrapped: [UInt8]) {
    self.keyID = keyID
    self.recipient = recipient
    self.wrapped = wrapped
  }
}

/// The public half of a user's key pair: X25519, raw.
public enum UserKey {
  /// Bytes of a public key.
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

  /// - Throws: ``WireError`` if a part is not as long as it must be.
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
  /// A member of bytes; nil: none.
  mutating func member(_ key: StaticString, base64 bytes: [UInt8]?) {
    member(key, bytes.map { Data($0).base64EncodedString() })
  }
}

extension JSONView {
  /// Bytes that must be there, as base64.
  func requiredBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8] {
    guard let bytes = try optionalBytes(key, count: count) else { throw .missing(key) }
    return bytes
  }

  /// Bytes that may be absent, but must not be something else.
  func optionalBytes(_ key: StaticString, count: Int? = nil) throws(WireError) -> [UInt8]? {
    guard let text = try optionalString(key) else { return nil }
    guard let data = Data(base64Encoded: text), data.count == count ?? data.count else {
      throw .wrongType(key, expected: "base64 of the right length")
    }
    return Array(data)
  }
}
