/// `encryption/reset`: replaces the caller's public key, and deletes every custom zone of the
/// caller that has keys. The default zone keeps its records, but loses its keys, so the encrypted
/// values in it are lost. Apple's service has no such endpoint.
///
/// One request deletes a limited number of zones. The client repeats the request until the answer
/// says that no zones are left. The new key takes effect with the last answer.
public enum ResetKeys: Endpoint {
  public static let path = "encryption/reset"

  public struct Request: JSONWritable, JSONReadable {
    /// The new public key, which has ``UserKey/length`` bytes.
    public var publicKey: [UInt8]
    /// The public key that the client replaces. nil means that the caller has no key yet. If the
    /// server has neither this key nor ``publicKey``, another device has made a reset, and the
    /// server answers `CONFLICT`.
    public var replacedKey: [UInt8]?

    public init(publicKey: [UInt8], replacedKey: [UInt8]?) {
      self.publicKey = publicKey
      self.replacedKey = replacedKey
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("publicKey", base64: publicKey)
        writer.member("replacedKey", base64: replacedKey)
      }
    }

    public init(json: JSONView) throws(WireError) {
      publicKey = try json.requiredBytes("publicKey", count: UserKey.length)
      replacedKey = try json.optionalBytes("replacedKey", count: UserKey.length)
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The zones that this request deleted.
    public var zones: [ZoneID]
    /// Whether more zones may be left, so that the client must repeat the request.
    public var moreComing: Bool

    public init(zones: [ZoneID], moreComing: Bool) {
      self.zones = zones
      self.moreComing = moreComing
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zones", array: zones)
        writer.member("moreComing", moreComing)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zones = try json.array("zones")
      moreComing = json["moreComing"]?.bool ?? false
    }
  }
}
