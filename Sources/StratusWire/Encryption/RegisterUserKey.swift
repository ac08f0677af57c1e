/// `encryption/register`: gives the caller a public key, unless there is one. An addition of
/// Stratus.
public enum RegisterUserKey: Endpoint {
  public static let path = "encryption/register"

  public struct Request: JSONWritable, JSONReadable {
    /// ``UserKey/length`` bytes.
    public var publicKey: [UInt8]

    public init(publicKey: [UInt8]) { self.publicKey = publicKey }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("publicKey", base64: publicKey) }
    }

    public init(json: JSONView) throws(WireError) {
      publicKey = try json.requiredBytes("publicKey", count: UserKey.length)
    }
  }

  /// The key that stands now: the caller's, or that of the device that came first.
  public typealias Response = Request
}
