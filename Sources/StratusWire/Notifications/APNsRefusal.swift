/// An answer of Apple's push service with a status other than 200.
///
/// Source: Apple, *Handling notification responses from APNs*.
public struct APNsRefusal: Sendable, JSONWritable, JSONReadable {
  /// The reason as one word, such as `BadDeviceToken`.
  public var reason: String

  public init(reason: String) { self.reason = reason }

  public func write(to writer: inout JSONWriter) {
    writer.object { $0.member("reason", reason) }
  }

  public init(json: JSONView) throws(WireError) {
    reason = try json.requiredString("reason")
  }
}
