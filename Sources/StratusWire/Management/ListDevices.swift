/// Management: shows the state of a user's devices if the user has consented. The consent is a code
/// that the user gets on the account page.
public enum ListDevices: Endpoint {
  public static let path = "devices/list"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The user's code of consent. It also identifies the user.
    public var code: String

    public init(containerID: String, environment: ContainerEnvironment, code: String) {
      self.containerID = containerID
      self.environment = environment
      self.code = code
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("code", code)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      code = try json.requiredString("code")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var userRecordName: String
    /// The time when the consent ends, in milliseconds since 1970 UTC.
    public var endsAt: Int64
    /// The devices of the user, beginning with the device that was seen last.
    public var devices: [DeviceReport]
    /// The number of bytes in files that the user has uploaded and that no record uses.
    public var unsavedBytes: Int64

    public init(
      userRecordName: String, endsAt: Int64, devices: [DeviceReport], unsavedBytes: Int64
    ) {
      self.userRecordName = userRecordName
      self.endsAt = endsAt
      self.devices = devices
      self.unsavedBytes = unsavedBytes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("userRecordName", userRecordName)
        writer.member("endsAt", endsAt)
        writer.member("devices", array: devices)
        writer.member("unsavedBytes", unsavedBytes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      userRecordName = try json.requiredString("userRecordName")
      endsAt = json["endsAt"]?.int64 ?? 0
      devices = try json.requiredArray("devices")
      unsavedBytes = json["unsavedBytes"]?.int64 ?? 0
    }
  }
}

/// The state of one device of a user. It contains neither contents nor names of records.
public struct DeviceReport: JSONWritable, JSONReadable, Hashable {
  /// The ID that the device gave itself.
  public var deviceID: String
  /// The app and its version, or empty if they are unknown.
  public var app: String
  /// The time of the last request, in milliseconds since 1970 UTC. It is nil if the device has sent
  /// none since the start of the server.
  public var lastSeen: Int64?
  /// The first characters of the ID of the session in which the device sent its last request.
  public var session: String?
  /// The time of the last successful save.
  public var lastSave: Int64?
  /// The time of the first request for upload URLs since the last save, or nil if there was none.
  public var uploadSince: Int64?
  /// How pushes reach the device, or nil if the device has not registered for them.
  public var push: Push?
  public var zones: [Zone]
  /// The last requests, the newest first.
  public var requests: [Request]
  /// Sentences about what is wrong with the device. The list is empty if nothing is wrong.
  public var findings: [String]

  public init(
    deviceID: String, app: String, lastSeen: Int64?, session: String? = nil,
    lastSave: Int64? = nil, uploadSince: Int64? = nil, push: Push? = nil, zones: [Zone],
    requests: [Request], findings: [String] = []
  ) {
    self.deviceID = deviceID
    self.app = app
    self.lastSeen = lastSeen
    self.session = session
    self.lastSave = lastSave
    self.uploadSince = uploadSince
    self.push = push
    self.zones = zones
    self.requests = requests
    self.findings = findings
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("deviceID", deviceID)
      writer.member("app", app)
      writer.member("lastSeen", lastSeen)
      writer.member("session", session)
      writer.member("lastSave", lastSave)
      writer.member("uploadSince", uploadSince)
      writer.member("push", push)
      writer.member("zones", array: zones)
      writer.member("requests", array: requests)
      writer.member("findings", strings: findings)
    }
  }

  public init(json: JSONView) throws(WireError) {
    deviceID = try json.requiredString("deviceID")
    app = try json.optionalString("app") ?? ""
    lastSeen = json["lastSeen"]?.int64
    session = try json.optionalString("session")
    lastSave = json["lastSave"]?.int64
    uploadSince = json["uploadSince"]?.int64
    push = try json.optional("push")
    zones = try json.array("zones")
    requests = try json.array("requests")
    findings = try json.strings("findings") ?? []
  }
}

extension DeviceReport {
  /// How pushes reach a device.
  public struct Push: JSONWritable, JSONReadable, Hashable {
    /// The kind of the channel: `stream`, `courier` or `apns`.
    public var channel: String
    /// The number of notifications that the device has not confirmed, at most
    /// ``Limits/queuedNotificationsMax``.
    public var waiting: Int64
    /// The time of the oldest notification that the device has not confirmed.
    public var waitingSince: Int64?
    /// The time of the newest notification that the device has confirmed.
    public var lastPush: Int64?
    /// The time when the device last fetched notifications, accurate to the hour.
    public var seen: Int64

    public init(
      channel: String, waiting: Int64, waitingSince: Int64?, lastPush: Int64?, seen: Int64
    ) {
      self.channel = channel
      self.waiting = waiting
      self.waitingSince = waitingSince
      self.lastPush = lastPush
      self.seen = seen
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("channel", channel)
        writer.member("waiting", waiting)
        writer.member("waitingSince", waitingSince)
        writer.member("lastPush", lastPush)
        writer.member("seen", seen)
      }
    }

    public init(json: JSONView) throws(WireError) {
      channel = try json.requiredString("channel")
      waiting = json["waiting"]?.int64 ?? 0
      waitingSince = json["waitingSince"]?.int64
      lastPush = json["lastPush"]?.int64
      seen = json["seen"]?.int64 ?? 0
    }
  }

  /// How far a device has fetched the changes of a zone.
  public struct Zone: JSONWritable, JSONReadable, Hashable {
    public var zoneName: String
    /// The owner of a shared zone, or nil for the user's own zone.
    public var ownerRecordName: String?
    /// The time of the last change token that the device got for the zone.
    public var tokenAt: Int64
    /// Whether the last answer said that more changes follow, and the device has not asked again.
    public var moreComing: Bool
    /// The number of records that other devices have changed since the device got that token. Only
    /// the first 1,000 records that have changed since then are examined, and at most 8 MiB of
    /// their fields. The number is nil for a deleted zone. It is also nil for another user's zone,
    /// because it would disclose how much the owner writes.
    public var lag: Int64?

    public init(
      zoneName: String, ownerRecordName: String?, tokenAt: Int64, moreComing: Bool, lag: Int64?
    ) {
      self.zoneName = zoneName
      self.ownerRecordName = ownerRecordName
      self.tokenAt = tokenAt
      self.moreComing = moreComing
      self.lag = lag
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneName", zoneName)
        writer.member("ownerRecordName", ownerRecordName)
        writer.member("tokenAt", tokenAt)
        writer.member("moreComing", moreComing)
        writer.member("lag", lag)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zoneName = try json.requiredString("zoneName")
      ownerRecordName = try json.optionalString("ownerRecordName")
      tokenAt = json["tokenAt"]?.int64 ?? 0
      moreComing = try json.optionalBool("moreComing") ?? false
      lag = json["lag"]?.int64
    }
  }

  /// A request of a device.
  public struct Request: JSONWritable, JSONReadable, Hashable {
    public var time: Int64
    public var endpoint: String
    /// `ok`, or the code of the error that refused the whole request.
    public var outcome: String
    public var milliseconds: Int64
    /// The ID of the request. It is nil if the request was not refused as a whole.
    public var requestID: String?

    public init(
      time: Int64, endpoint: String, outcome: String, milliseconds: Int64, requestID: String?
    ) {
      self.time = time
      self.endpoint = endpoint
      self.outcome = outcome
      self.milliseconds = milliseconds
      self.requestID = requestID
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("time", time)
        writer.member("endpoint", endpoint)
        writer.member("outcome", outcome)
        writer.member("milliseconds", milliseconds)
        writer.member("requestID", requestID)
      }
    }

    public init(json: JSONView) throws(WireError) {
      time = json["time"]?.int64 ?? 0
      endpoint = try json.requiredString("endpoint")
      outcome = try json.requiredString("outcome")
      milliseconds = json["milliseconds"]?.int64 ?? 0
      requestID = try json.optionalString("requestID")
    }
  }
}
