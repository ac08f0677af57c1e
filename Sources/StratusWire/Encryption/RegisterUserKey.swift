/// `encryption/register`: sets the caller's public key if there is none yet. Apple's service has no
/// such endpoint.
public enum RegisterUserKey: Endpoint {
  public static let path = "encryption/register"

  public struct Request: JSONWritable, JSONReadable {
    /// The public key, which has ``UserKey/length`` bytes.
    public var publicKey: [UInt8]

    public init(publicKey: [UInt8]) { self.publicKey = publicKey }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("publicKey", base64: publicKey) }
    }

    public init(json: JSONView) throws(WireError) {
      publicKey = try json.requiredBytes("publicKey", count: UserKey.length)
    }
  }

  /// The valid public key: the key of the request, or the key that another device registered
  /// earlier.
  public typealias Response = Request
}
