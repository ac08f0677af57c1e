public import StratusDomain
import StratusWire

/// Adds the requests of apps to the request log and to the timelines of devices.
public struct RequestEntries: RequestObserver {
  let log: RequestLog
  let timelines: DeviceTimelines

  public init(log: RequestLog, timelines: DeviceTimelines) {
    self.log = log
    self.timelines = timelines
  }

  public var details: ReportDetails {
    log.isKept
      ? ReportDetails(hasQueries: true, plansFrom: Limits.slowQueryMilliseconds) : ReportDetails()
  }

  public func note(_ reports: [RequestReport]) {
    var entries: [RequestEntry] = []
    entries.reserveCapacity(reports.count)
    for report in reports {
      guard let entry = report.entry else { continue }
      entries.append(entry)
      timelines.note(entry, session: report.session, positions: report.positions)
    }
    if log.isKept { log.append(entries) }
  }
}

extension RequestReport {
  /// The entry of the request log, or nil if the request has no database.
  var entry: RequestEntry? {
    guard let address else { return nil }
    let isSlow = nanoseconds / 1_000_000 >= Limits.slowQueryMilliseconds
    return RequestEntry(
      requestID: requestID, time: beganAt, milliseconds: max(0, endedAt - beganAt),
      bytesIn: Int64(bytesIn), bytesOut: Int64(bytesOut),
      containerID: address.store.loggedContainer, environment: address.store.environment,
      database: address.scope, endpoint: route, outcome: outcome, steps: Int64(steps),
      userRecordName: userRecordName, deviceID: deviceID, app: app, reason: reason, query: query,
      plan: isSlow ? plan : nil)
  }
}
