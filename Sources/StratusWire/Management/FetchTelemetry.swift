/// Management: counts the requests of apps by endpoint and time.
public enum FetchTelemetry: Endpoint {
  public static let path = "telemetry/fetch"

  /// The upper bounds of the classes of durations, in milliseconds. A class contains the durations
  /// above the previous bound, up to its own bound. A last class without a bound contains all
  /// longer durations.
  public static let durationBounds: [Int64] = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000,
  ]

  /// The requests to count. A property that is nil does not limit them.
  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String?
    public var environment: ContainerEnvironment?
    public var endpoint: String?
    /// The first and the last time, in milliseconds since 1970 UTC.
    public var from: Int64?
    public var to: Int64?
    /// The length of the time span of one point, in minutes. The default is 1.
    public var minutesPerPoint: Int64?

    public init(
      containerID: String? = nil, environment: ContainerEnvironment? = nil,
      endpoint: String? = nil, from: Int64? = nil, to: Int64? = nil,
      minutesPerPoint: Int64? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.endpoint = endpoint
      self.from = from
      self.to = to
      self.minutesPerPoint = minutesPerPoint
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment?.rawValue)
        writer.member("endpoint", endpoint)
        writer.member("from", from)
        writer.member("to", to)
        writer.member("minutesPerPoint", minutesPerPoint)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.optionalString("containerID")
      if try json.optionalString("environment") != nil { environment = try json.environment() }
      endpoint = try json.optionalString("endpoint")
      from = json["from"]?.int64
      to = json["to"]?.int64
      minutesPerPoint = json["minutesPerPoint"]?.int64
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The points in the order of their times. A time without requests has no point.
    public var points: [TelemetryPoint]
    /// The time of the first minute for which the server still has counts, or nil if it has none.
    public var since: Int64?

    public init(points: [TelemetryPoint], since: Int64?) {
      self.points = points
      self.since = since
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.key("durationBounds")
        writer.array { writer in for bound in durationBounds { writer.int(bound) } }
        writer.member("points", array: points)
        writer.member("since", since)
      }
    }

    public init(json: JSONView) throws(WireError) {
      points = try json.requiredArray("points")
      since = json["since"]?.int64
    }
  }
}

/// The requests to one endpoint of one container in one span of time.
public struct TelemetryPoint: JSONWritable, JSONReadable, Hashable {
  /// The beginning of the span, in milliseconds since 1970 UTC.
  public var time: Int64
  public var containerID: String
  public var environment: ContainerEnvironment
  public var endpoint: String
  /// The number of requests.
  public var count: Int64
  /// The number of requests that were refused as a whole.
  public var failedCount: Int64
  /// The sum of the durations of the requests, in milliseconds.
  public var milliseconds: Int64
  public var bytesIn: Int64
  public var bytesOut: Int64
  /// The number of requests in each class of durations. There is one more class than
  /// ``FetchTelemetry/durationBounds``.
  public var durations: [Int64]

  public init(
    time: Int64, containerID: String, environment: ContainerEnvironment, endpoint: String,
    count: Int64 = 0, failedCount: Int64 = 0, milliseconds: Int64 = 0, bytesIn: Int64 = 0,
    bytesOut: Int64 = 0,
    durations: [Int64] = Array(repeating: 0, count: FetchTelemetry.durationBounds.count + 1)
  ) {
    self.time = time
    self.containerID = containerID
    self.environment = environment
    self.endpoint = endpoint
    self.count = count
    self.failedCount = failedCount
    self.milliseconds = milliseconds
    self.bytesIn = bytesIn
    self.bytesOut = bytesOut
    self.durations = durations
  }

  /// Adds the numbers of another point.
  public mutating func add(_ other: TelemetryPoint) {
    count += other.count
    failedCount += other.failedCount
    milliseconds += other.milliseconds
    bytesIn += other.bytesIn
    bytesOut += other.bytesOut
    for index in durations.indices where other.durations.indices.contains(index) {
      durations[index] += other.durations[index]
    }
  }

  /// Adds one request.
  public mutating func add(_ entry: RequestEntry) {
    count += 1
    if entry.outcome != RequestEntry.okay { failedCount += 1 }
    milliseconds += entry.milliseconds
    bytesIn += entry.bytesIn
    bytesOut += entry.bytesOut
    let bounds = FetchTelemetry.durationBounds
    let place = bounds.firstIndex { entry.milliseconds <= $0 } ?? bounds.count
    if durations.indices.contains(place) { durations[place] += 1 }
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("time", time)
      writer.member("containerID", containerID)
      writer.member("environment", environment.rawValue)
      writer.member("endpoint", endpoint)
      writer.member("count", count)
      writer.member("failedCount", failedCount)
      writer.member("milliseconds", milliseconds)
      writer.member("bytesIn", bytesIn)
      writer.member("bytesOut", bytesOut)
      writer.key("durations")
      writer.array { writer in for number in durations { writer.int(number) } }
    }
  }

  public init(json: JSONView) throws(WireError) {
    time = json["time"]?.int64 ?? 0
    containerID = try json.requiredString("containerID")
    environment = try json.environment()
    endpoint = try json.requiredString("endpoint")
    count = json["count"]?.int64 ?? 0
    failedCount = json["failedCount"]?.int64 ?? 0
    milliseconds = json["milliseconds"]?.int64 ?? 0
    bytesIn = json["bytesIn"]?.int64 ?? 0
    bytesOut = json["bytesOut"]?.int64 ?? 0
    durations = json["durations"]?.elements.map { $0.value.int64 ?? 0 } ?? []
  }
}
