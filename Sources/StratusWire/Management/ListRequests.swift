/// One request of an app, as the request log keeps it. It has no contents of the request: no
/// values, no names of records or zones, no tokens and no addresses.
///
/// NB: this is a class, because the log copies each entry several times.
public final class RequestEntry: JSONWritable, JSONReadable {
  /// The ID that the answer had in `X-Apple-Request-UUID`, and in its error dictionary.
  public let requestID: String
  /// The time when the request arrived, in milliseconds since 1970 UTC.
  public let time: Int64
  /// The milliseconds from the arrival of the request to the beginning of the answer.
  public let milliseconds: Int64
  public let bytesIn: Int64
  public let bytesOut: Int64
  public let containerID: String
  public let environment: ContainerEnvironment
  public let database: DatabaseScope
  /// The path of the endpoint, for example `records/query`.
  public let endpoint: String
  /// `ok`, or the code of the error that refused the whole request.
  public let outcome: String
  /// The units of work of the request, of about 1 µs each.
  public let steps: Int64
  /// The user, or nil for a caller who is not signed in.
  public let userRecordName: String?
  /// The ID that the device gave itself.
  public let deviceID: String
  /// The app and its version, as the request named them. It is empty if the request named no app.
  public let app: String
  /// The sentence of the error that refused the request, with `…` in the place of the caller's own
  /// words. It is nil if the request was not refused as a whole.
  public let reason: String?
  /// The record type, the fields, the comparators and the sorts of a query, without values. It is
  /// nil if the request is not a query.
  public let query: String?
  /// The plan of a slow query. It is nil for other requests.
  public let plan: QueryExplanation?

  public init(
    requestID: String, time: Int64, milliseconds: Int64, bytesIn: Int64, bytesOut: Int64,
    containerID: String, environment: ContainerEnvironment, database: DatabaseScope,
    endpoint: String, outcome: String, steps: Int64, userRecordName: String?,
    deviceID: String, app: String, reason: String? = nil, query: String? = nil,
    plan: QueryExplanation? = nil
  ) {
    self.requestID = requestID
    self.time = time
    self.milliseconds = milliseconds
    self.bytesIn = bytesIn
    self.bytesOut = bytesOut
    self.containerID = containerID
    self.environment = environment
    self.database = database
    self.endpoint = endpoint
    self.outcome = outcome
    self.steps = steps
    self.userRecordName = userRecordName
    self.deviceID = deviceID
    self.app = app
    self.reason = reason
    self.query = query
    self.plan = plan
  }

  /// The outcome of a request that was not refused as a whole.
  public static let okay = "ok"

  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int { 768 }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("requestID", requestID)
      writer.member("time", time)
      writer.member("milliseconds", milliseconds)
      writer.member("bytesIn", bytesIn)
      writer.member("bytesOut", bytesOut)
      writer.member("containerID", containerID)
      writer.member("environment", environment.rawValue)
      writer.member("database", database.rawValue)
      writer.member("endpoint", endpoint)
      writer.member("outcome", outcome)
      writer.member("steps", steps)
      writer.member("userRecordName", userRecordName)
      writer.member("deviceID", deviceID)
      writer.member("app", app)
      writer.member("reason", reason)
      writer.member("query", query)
      writer.member("plan", plan)
    }
  }

  public init(json: JSONView) throws(WireError) {
    requestID = try json.requiredString("requestID")
    time = json["time"]?.int64 ?? 0
    milliseconds = json["milliseconds"]?.int64 ?? 0
    bytesIn = json["bytesIn"]?.int64 ?? 0
    bytesOut = json["bytesOut"]?.int64 ?? 0
    containerID = try json.requiredString("containerID")
    environment = try json.environment()
    guard let scope = DatabaseScope(rawValue: try json.requiredString("database")) else {
      throw .wrongType("database", expected: "public, private or shared")
    }
    database = scope
    endpoint = try json.requiredString("endpoint")
    outcome = try json.requiredString("outcome")
    steps = json["steps"]?.int64 ?? 0
    userRecordName = try json.optionalString("userRecordName")
    deviceID = try json.requiredString("deviceID")
    app = try json.requiredString("app")
    reason = try json.optionalString("reason")
    query = try json.optionalString("query")
    plan = try json.optional("plan")
  }
}

extension RequestEntry: Equatable {
  public static func == (left: RequestEntry, right: RequestEntry) -> Bool {
    left === right || left.jsonBytes == right.jsonBytes
  }
}

/// Management: lists the newest requests of apps, the newest first.
public enum ListRequests: Endpoint {
  public static let path = "requests/list"

  /// The requests to list. A member that is nil does not limit them.
  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String?
    public var environment: ContainerEnvironment?
    public var endpoint: String?
    /// An error code, `ok`, or `failed` for all errors.
    public var outcome: String?
    public var userRecordName: String?
    public var requestID: String?
    /// The least duration, in milliseconds.
    public var millisecondsMin: Int64?
    /// The greatest number of requests in the answer. The default is 100.
    public var resultsLimit: Int64?
    /// ``Response/before`` of an earlier answer. The answer has the requests before this position,
    /// the newest first.
    public var before: String?
    /// ``Response/after`` of an earlier answer. The answer has the requests after this position,
    /// the oldest first.
    public var after: String?
    /// Whether the caller follows the log. If the server keeps no requests, it begins to keep them
    /// in memory, and stops a minute after the last request that follows the log.
    public var follows: Bool?

    public init(
      containerID: String? = nil, environment: ContainerEnvironment? = nil,
      endpoint: String? = nil, outcome: String? = nil, userRecordName: String? = nil,
      requestID: String? = nil, millisecondsMin: Int64? = nil, resultsLimit: Int64? = nil,
      before: String? = nil, after: String? = nil, follows: Bool? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.endpoint = endpoint
      self.outcome = outcome
      self.userRecordName = userRecordName
      self.requestID = requestID
      self.millisecondsMin = millisecondsMin
      self.resultsLimit = resultsLimit
      self.before = before
      self.after = after
      self.follows = follows
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment?.rawValue)
        writer.member("endpoint", endpoint)
        writer.member("outcome", outcome)
        writer.member("userRecordName", userRecordName)
        writer.member("requestID", requestID)
        writer.member("millisecondsMin", millisecondsMin)
        writer.member("resultsLimit", resultsLimit)
        writer.member("before", before)
        writer.member("after", after)
        writer.member("follows", follows)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.optionalString("containerID")
      if try json.optionalString("environment") != nil { environment = try json.environment() }
      endpoint = try json.optionalString("endpoint")
      outcome = try json.optionalString("outcome")
      userRecordName = try json.optionalString("userRecordName")
      requestID = try json.optionalString("requestID")
      millisecondsMin = json["millisecondsMin"]?.int64
      resultsLimit = json["resultsLimit"]?.int64
      before = try json.optionalString("before")
      after = try json.optionalString("after")
      follows = try json.optionalBool("follows")
    }

    /// Whether an entry meets the conditions of this request. The positions and the limit are not
    /// conditions.
    public func includes(_ entry: RequestEntry) -> Bool {
      if let containerID, containerID != entry.containerID { return false }
      if let environment, environment != entry.environment { return false }
      if let endpoint, endpoint != entry.endpoint { return false }
      if let userRecordName, userRecordName != entry.userRecordName { return false }
      if let requestID, requestID != entry.requestID { return false }
      if let millisecondsMin, entry.milliseconds < millisecondsMin { return false }
      guard let outcome else { return true }
      return outcome == "failed" ? entry.outcome != RequestEntry.okay : entry.outcome == outcome
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var requests: [RequestEntry]
    /// The position for the next page, or nil if the log has no earlier requests. It is also nil in
    /// an answer to a request with ``Request/after``. A page may have fewer requests than the limit
    /// although there are earlier ones, because the server reads only a part of the log for one
    /// answer.
    public var before: String?
    /// The position from which the caller can follow the log. In an answer to a request with
    /// ``Request/after``, it comes after the last request that the server has examined. In other
    /// answers, it comes after the newest request of the log.
    public var after: String?
    /// The number of requests after ``Request/after`` that are no longer in the server's memory. It
    /// is nil in an answer to a request without ``Request/after``.
    public var skippedCount: Int64?

    public init(
      requests: [RequestEntry], before: String?, after: String? = nil, skippedCount: Int64? = nil
    ) {
      self.requests = requests
      self.before = before
      self.after = after
      self.skippedCount = skippedCount
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("requests", array: requests)
        writer.member("before", before)
        writer.member("after", after)
        writer.member("skippedCount", skippedCount)
      }
    }

    public init(json: JSONView) throws(WireError) {
      requests = try json.requiredArray("requests")
      before = try json.optionalString("before")
      after = try json.optionalString("after")
      skippedCount = json["skippedCount"]?.int64
    }
  }
}
