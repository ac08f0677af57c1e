/// Management: begins, changes or ends the retirement of a field or record type, or removes a
/// retired field or record type. A retirement is the time before the removal, in which the server
/// notes the devices that still write to the field or record type.
public enum RetireSchema: Endpoint {
  public static let path = "schema/retire"

  /// The requested action on a field or record type.
  public enum Action: String, Sendable, Hashable {
    /// The server notes the devices that write to the field or record type.
    case report
    /// The server refuses writes to the field or record type, and notes the devices that attempt
    /// them.
    case refuse
    /// The field gets a second name, and each save writes the value under both names.
    case rename
    /// The retirement ends, and the field or record type remains in the schema.
    case cancel
    /// The server removes the field or record type and its values, in several transactions.
    case drop
  }

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The record type or field, for example `Note` or `Note.title`.
    public var place: String
    public var action: Action
    /// The new name of a renamed field.
    public var newName: String?
    /// Whether the field or record type is dropped even if a device wrote to it lately.
    public var isForced: Bool

    public init(
      containerID: String, environment: ContainerEnvironment, place: String, action: Action,
      newName: String? = nil, isForced: Bool = false
    ) {
      self.containerID = containerID
      self.environment = environment
      self.place = place
      self.action = action
      self.newName = newName
      self.isForced = isForced
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("place", place)
        writer.member("action", action.rawValue)
        writer.member("newName", newName)
        writer.member("isForced", isForced)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      place = try json.requiredString("place")
      guard let action = Action(rawValue: try json.requiredString("action")) else {
        throw .wrongType("action", expected: "report, refuse, rename, cancel or drop")
      }
      self.action = action
      newName = try json.optionalString("newName")
      isForced = try json.optionalBool("isForced") ?? false
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: lists the retired fields and record types of a container in one environment, each
/// with the devices that still write to it.
public enum ListRetirements: Endpoint {
  public static let path = "schema/retiring"

  public typealias Request = EnvironmentRequest

  /// A device that wrote to a retired field or record type.
  public struct Writer: JSONWritable, JSONReadable, Hashable {
    public var deviceID: String
    public var userRecordName: String
    /// The time of the last write, in milliseconds since 1970 UTC.
    public var lastWrite: Int64
    /// The number of writes since the retirement began.
    public var writes: Int64

    public init(deviceID: String, userRecordName: String, lastWrite: Int64, writes: Int64) {
      self.deviceID = deviceID
      self.userRecordName = userRecordName
      self.lastWrite = lastWrite
      self.writes = writes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("deviceID", deviceID)
        writer.member("userRecordName", userRecordName)
        writer.member("lastWrite", lastWrite)
        writer.member("writes", writes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      deviceID = try json.requiredString("deviceID")
      userRecordName = try json.requiredString("userRecordName")
      lastWrite = json["lastWrite"]?.int64 ?? 0
      writes = json["writes"]?.int64 ?? 0
    }
  }

  /// The retirement of one field or record type.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    /// The record type or field, for example `Note` or `Note.title`.
    public var place: String
    /// The phase of the retirement: `reported`, `refused` or `removing`.
    public var phase: String
    /// The new name of a renamed field.
    public var newName: String?
    /// Whether all records have the value under the new name. It is always true without a new name.
    public var isCopied: Bool
    /// The start of the retirement, in milliseconds since 1970 UTC.
    public var since: Int64
    /// The devices that wrote to the field or record type, with the latest writer first. There are
    /// at most ``Limits/retiredWritersMax``.
    public var writers: [Writer]

    public init(
      place: String, phase: String, newName: String?, isCopied: Bool, since: Int64,
      writers: [Writer]
    ) {
      self.place = place
      self.phase = phase
      self.newName = newName
      self.isCopied = isCopied
      self.since = since
      self.writers = writers
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("place", place)
        writer.member("phase", phase)
        writer.member("newName", newName)
        writer.member("isCopied", isCopied)
        writer.member("since", since)
        writer.member("writers", array: writers)
      }
    }

    public init(json: JSONView) throws(WireError) {
      place = try json.requiredString("place")
      phase = try json.requiredString("phase")
      newName = try json.optionalString("newName")
      isCopied = try json.optionalBool("isCopied") ?? true
      since = json["since"]?.int64 ?? 0
      writers = try json.requiredArray("writers")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The retirements, sorted by the names of their record types and fields.
    public var retirements: [Item]

    public init(retirements: [Item]) { self.retirements = retirements }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("retirements", array: retirements) }
    }

    public init(json: JSONView) throws(WireError) {
      retirements = try json.requiredArray("retirements")
    }
  }
}
