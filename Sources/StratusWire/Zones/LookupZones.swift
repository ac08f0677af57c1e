/// `zones/lookup`: finds zones by their IDs.
public enum LookupZones: Endpoint {
  public static let path = "zones/lookup"

  public struct Request: JSONWritable, JSONReadable {
    public var zones: [ZoneID]

    public init(zones: [ZoneID]) { self.zones = zones }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("zones", array: zones) }
    }

    /// Reads the request. A zone ID may be bare or inside `{zoneID: …}`.
    public init(json: JSONView) throws(WireError) {
      zones = try json.requiredArray("zones", of: WrappedZoneID.self).map(\.zoneID)
    }
  }

  public typealias Response = ListZones.Response
}

struct WrappedZoneID: JSONReadable {
  let zoneID: ZoneID

  init(json: JSONView) throws(WireError) { zoneID = try ZoneID(json: json["zoneID"] ?? json) }
}
