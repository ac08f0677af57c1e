public import StratusWire
import Synchronization

/// Counts the requests of apps by container, environment, endpoint and minute.
///
/// The counts are in memory. Their number is bounded: when there are too many, the oldest minute
/// is removed.
public final class Telemetry: Sendable {
  private struct Series: Hashable {
    var containerID: String
    var environment: ContainerEnvironment
    var endpoint: String

    init(_ entry: RequestEntry) {
      containerID = Self.container(of: entry)
      environment = entry.environment
      endpoint = entry.endpoint
    }

    func includes(_ entry: RequestEntry) -> Bool {
      endpoint == entry.endpoint && environment == entry.environment
        && containerID == Self.container(of: entry)
    }

    // NB: a caller without valid tokens can name any number of containers, so such requests are
    // counted without a container.
    private static func container(of entry: RequestEntry) -> String {
      entry.outcome == ErrorCode.authenticationFailed.rawValue
        ? Telemetry.noContainer : entry.containerID
    }
  }

  private struct State {
    /// The counts by minute. The minutes are numbered from 1970 UTC.
    var minutes: [Int64: [Series: TelemetryPoint]] = [:]
    var count = 0
  }

  /// The maximum number of minutes that are kept.
  private static let minutesMax: Int64 = 1_440
  private static let milliseconds: Int64 = 60_000

  /// The container under which requests without valid tokens are counted.
  static let noContainer = "(without valid tokens)"

  private let state = Mutex(State())
  private let pointsMax: Int

  /// - Parameter pointsMax: the maximum number of counts.
  init(pointsMax: Int = Limits.telemetryPointsMax) { self.pointsMax = pointsMax }

  /// Adds requests.
  func add(_ entries: some Collection<RequestEntry>) {
    state.withLock { state in
      var rest = entries[...]
      while let first = rest.first {
        // The requests of one series are added at once, because it takes time to find a series.
        let (series, minute) = (Series(first), first.time / Self.milliseconds)
        let same = rest.prefix { series.includes($0) && $0.time / Self.milliseconds == minute }
        add(same, to: series, at: minute, &state)
        rest = rest[same.endIndex...]
      }
    }
  }

  private func add(
    _ entries: some Sequence<RequestEntry>, to series: Series, at minute: Int64,
    _ state: inout State
  ) {
    let isNew = state.minutes[minute]?[series] == nil
    let empty = TelemetryPoint(
      time: minute * Self.milliseconds, containerID: series.containerID,
      environment: series.environment, endpoint: series.endpoint)
    // NB: the point is changed in place, so that it is not copied.
    Self.add(entries, to: &state.minutes[minute, default: [:]][series, default: empty])
    guard isNew else { return }
    state.count += 1
    bound(&state)
  }

  private static func add(_ entries: some Sequence<RequestEntry>, to point: inout TelemetryPoint) {
    for entry in entries { point.add(entry) }
  }

  /// Removes the oldest minutes. The newest minute always stays.
  private func bound(_ state: inout State) {
    guard let newest = state.minutes.keys.max() else { return }
    while let oldest = state.minutes.keys.min(), oldest < newest,
      state.count > pointsMax || newest - oldest >= Self.minutesMax
    {
      state.count -= state.minutes.removeValue(forKey: oldest)?.count ?? 0
    }
  }

  /// Returns the counts that a request asks for.
  ///
  /// - Throws: `BAD_REQUEST` for a span that is not 1 to 1,440 minutes.
  func fetch(_ request: FetchTelemetry.Request) throws(ServerError) -> FetchTelemetry.Response {
    let span = request.minutesPerPoint ?? 1
    guard (1...Self.minutesMax).contains(span) else {
      throw .badRequest("minutesPerPoint must be 1 to \(Self.minutesMax)")
    }
    let minutes = state.withLock { $0.minutes }
    var sums: [Int64: [Series: TelemetryPoint]] = [:]
    for (minute, points) in minutes {
      let time = minute / span * span * Self.milliseconds
      if let from = request.from, minute * Self.milliseconds + Self.milliseconds <= from {
        continue
      }
      if let to = request.to, minute * Self.milliseconds > to { continue }
      for (series, point) in points where request.includes(point) {
        if sums[time]?[series] == nil {
          var sum = point
          sum.time = time
          sums[time, default: [:]][series] = sum
        } else {
          sums[time]?[series]?.add(point)
        }
      }
    }
    let points = sums.values.flatMap(\.values).sorted {
      ($0.time, $0.containerID, $0.environment.rawValue, $0.endpoint)
        < ($1.time, $1.containerID, $1.environment.rawValue, $1.endpoint)
    }
    return FetchTelemetry.Response(
      points: points, since: minutes.keys.min().map { $0 * Self.milliseconds })
  }
}

extension FetchTelemetry.Request {
  fileprivate func includes(_ point: TelemetryPoint) -> Bool {
    (containerID == nil || containerID == point.containerID)
      && (environment == nil || environment == point.environment)
      && (endpoint == nil || endpoint == point.endpoint)
  }
}

/// Answers ``FetchTelemetry``.
public struct FetchTelemetryHandler: ManagementHandler {
  public typealias Endpoint = FetchTelemetry

  let log: RequestLog

  public init(log: RequestLog) { self.log = log }

  public func answer(
    _ request: FetchTelemetry.Request
  ) async throws(ServerError) -> FetchTelemetry.Response {
    try log.telemetry.fetch(request)
  }
}
