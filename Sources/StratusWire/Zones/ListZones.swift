/// `zones/list`: lists every zone of a database.
public enum ListZones: Endpoint {
  public static let path = "zones/list"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable {
    public var zones: [ZoneItem]

    public init(zones: [ZoneItem]) { self.zones = zones }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("zones", array: zones) }
    }

    public init(json: JSONView) throws(WireError) { zones = try json.requiredArray("zones") }
  }
}
