/// The user, the time and the device of a record's creation or last change.
public struct Stamp: Sendable, Hashable {
  /// The time in milliseconds since 1970 UTC.
  public var timestamp: Int64
  public var userRecordName: String
  public var deviceID: String

  public init(timestamp: Int64, userRecordName: String, deviceID: String) {
    self.timestamp = timestamp
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }
}

extension Stamp: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("timestamp", timestamp)
      writer.member("userRecordName", userRecordName)
      writer.member("deviceID", deviceID)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let timestamp = json["timestamp"]?.int64 else { throw .missing("timestamp") }
    self.init(
      timestamp: timestamp, userRecordName: try json.requiredString("userRecordName"),
      deviceID: json["deviceID"]?.string ?? "")
  }
}
