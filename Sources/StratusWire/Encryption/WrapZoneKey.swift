/// `encryption/wrap`: sets the key of a zone that has no key yet. Apple's service has no such
/// endpoint.
public enum WrapZoneKey: Endpoint {
  public static let path = "encryption/wrap"

  public struct Request: JSONWritable, JSONReadable {
    public var zoneID: ZoneID
    public var key: WrappedZoneKey

    public init(zoneID: ZoneID, key: WrappedZoneKey) {
      self.zoneID = zoneID
      self.key = key
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("key", key)
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
      guard let key = json["key"] else { throw .missing("key") }
      self.zoneID = try ZoneID(json: zoneID)
      self.key = try WrappedZoneKey(json: key)
    }
  }

  /// The keys of the zone: the key of the request, or the key that another device set earlier.
  public typealias Response = FetchKeys.ZoneKeys
}
