/// `notifications/badge`: sets the number on the app's icon on all the user's devices. Apple's
/// service has no such endpoint.
public enum SetBadge: Endpoint {
  public static let path = "notifications/badge"

  public struct Request: JSONWritable, JSONReadable {
    public var value: Int

    public init(value: Int) { self.value = value }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("badge", Int64(value)) }
    }

    public init(json: JSONView) throws(WireError) {
      guard let value = json["badge"]?.int else { throw .missing("badge") }
      self.value = value
    }
  }

  public typealias Response = EmptyRequest
}
