/// `encryption/wrap`: if a zone or hierarchy has no key, or only retired keys, sets its key.
/// Otherwise adds wrapped forms of its keys. Apple's service has no such endpoint.
public enum WrapZoneKey: Endpoint {
  public static let path = "encryption/wrap"

  public struct Request: JSONWritable, JSONReadable {
    public var zoneID: ZoneID
    /// A key that is wrapped for the caller. If the zone or hierarchy already has another key that
    /// is not retired, the server stores nothing.
    public var key: WrappedZoneKey
    /// Further wrapped forms: keys for the caller, for the URL of the share, and, together
    /// with a new key, for other members. They belong to the same zone or hierarchy.
    public var others: [WrappedZoneKey]

    public init(zoneID: ZoneID, key: WrappedZoneKey, others: [WrappedZoneKey] = []) {
      self.zoneID = zoneID
      self.key = key
      self.others = others
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("key", key)
        if !others.isEmpty { writer.member("others", array: others) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
      guard let key = json["key"] else { throw .missing("key") }
      self.zoneID = try ZoneID(json: zoneID)
      self.key = try WrappedZoneKey(json: key)
      others = try json.array("others")
    }
  }

  /// The keys of the zone, as `encryption/keys` returns them: with the key of the request, or with
  /// the key that another device set earlier.
  public typealias Response = FetchKeys.ZoneKeys
}
