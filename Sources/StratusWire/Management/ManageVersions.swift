/// Management: shows how many earlier states of records a container keeps in one environment, and
/// since when.
public enum ShowVersions: Endpoint {
  public static let path = "versions/show"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment

    public init(containerID: String, environment: ContainerEnvironment) {
      self.containerID = containerID
      self.environment = environment
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The number of days for which versions are kept, or nil if none are kept.
    public var days: Int64?
    /// The earliest time that a restore can reach, in milliseconds since 1970 UTC, or nil if the
    /// store keeps no versions.
    public var since: Int64?
    /// The number of versions.
    public var count: Int64
    /// The bytes of the versions and of the kept records of deleted zones. No quota counts them.
    public var bytes: Int64
    /// The number of deleted zones whose records are kept.
    public var deletedZones: Int64

    public init(days: Int64?, since: Int64?, count: Int64, bytes: Int64, deletedZones: Int64) {
      self.days = days
      self.since = since
      self.count = count
      self.bytes = bytes
      self.deletedZones = deletedZones
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("days", days)
        writer.member("since", since)
        writer.member("count", count)
        writer.member("bytes", bytes)
        writer.member("deletedZones", deletedZones)
      }
    }

    public init(json: JSONView) throws(WireError) {
      days = try json.optionalNumber("days")
      since = try json.optionalNumber("since")
      count = try json.optionalNumber("count") ?? 0
      bytes = try json.optionalNumber("bytes") ?? 0
      deletedZones = try json.optionalNumber("deletedZones") ?? 0
    }
  }
}

/// Management: does one step of a restore of records to an earlier time.
///
/// The caller repeats the request with the position of the answer until the answer has none.
public enum RestoreVersions: Endpoint {
  public static let path = "versions/restore"

  /// The databases to restore.
  public enum Target: Sendable, Hashable {
    case allDatabases
    case publicDatabase
    /// The private database of one account's user.
    case account(email: String)
  }

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    public var target: Target
    /// The zone, or nil for all zones. A request that names a zone has one database as its target.
    public var zoneName: String?
    /// The record, or nil for all records. A request that names a record also names a zone.
    public var recordName: String?
    /// The time whose state is restored, in milliseconds since 1970 UTC.
    public var time: Int64
    /// Whether the request only counts what would change.
    public var isDryRun: Bool
    /// The position in the answer of the step before, or nil for the first step.
    public var position: String?

    public init(
      containerID: String, environment: ContainerEnvironment, target: Target,
      zoneName: String? = nil, recordName: String? = nil, time: Int64, isDryRun: Bool = false,
      position: String? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.target = target
      self.zoneName = zoneName
      self.recordName = recordName
      self.time = time
      self.isDryRun = isDryRun
      self.position = position
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        switch target {
        case .allDatabases: break
        case .publicDatabase: writer.member("isPublic", true)
        case .account(let email): writer.member("email", email)
        }
        writer.member("zoneName", zoneName)
        writer.member("recordName", recordName)
        writer.member("time", time)
        writer.member("isDryRun", isDryRun)
        writer.member("position", position)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      if let email = try json.optionalString("email") {
        target = .account(email: email)
      } else {
        target = try json.optionalBool("isPublic") ?? false ? .publicDatabase : .allDatabases
      }
      zoneName = try json.optionalString("zoneName")
      recordName = try json.optionalString("recordName")
      guard let time = try json.optionalNumber("time") else { throw .missing("time") }
      self.time = time
      isDryRun = try json.optionalBool("isDryRun") ?? false
      position = try json.optionalString("position")
    }
  }

  /// Records that cannot be restored, all for the same reason.
  public struct Refusal: JSONWritable, JSONReadable, Hashable {
    /// The error code.
    public var code: String
    /// The reason. It is nil in private databases, because it could contain names.
    public var reason: String?
    /// The number of records.
    public var records: Int64

    public init(code: String, reason: String?, records: Int64) {
      self.code = code
      self.reason = reason
      self.records = records
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("code", code)
        writer.member("reason", reason)
        writer.member("records", records)
      }
    }

    public init(json: JSONView) throws(WireError) {
      code = try json.requiredString("code")
      reason = try json.optionalString("reason")
      records = try json.optionalNumber("records") ?? 0
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The number of records that the step examined.
    public var examined: Int64
    /// The number of records that got, or would get, their earlier state.
    public var restored: Int64
    /// The number of records that are, or would be, deleted because they did not exist at the time.
    public var deleted: Int64
    /// The records that cannot be restored. A dry run does not find them.
    public var refusals: [Refusal]
    /// Where the next step continues, or nil after the last step.
    public var position: String?

    public init(
      examined: Int64, restored: Int64, deleted: Int64, refusals: [Refusal], position: String?
    ) {
      self.examined = examined
      self.restored = restored
      self.deleted = deleted
      self.refusals = refusals
      self.position = position
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("examined", examined)
        writer.member("restored", restored)
        writer.member("deleted", deleted)
        writer.member("refusals", array: refusals)
        writer.member("position", position)
      }
    }

    public init(json: JSONView) throws(WireError) {
      examined = try json.optionalNumber("examined") ?? 0
      restored = try json.optionalNumber("restored") ?? 0
      deleted = try json.optionalNumber("deleted") ?? 0
      refusals = try json.array("refusals")
      position = try json.optionalString("position")
    }
  }
}
