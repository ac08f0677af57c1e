import HTTPTypes
import Logging
import StratusDomain
import StratusHTTP
import StratusWire
import Synchronization

/// Writes one line for each request, without its contents.
final class RequestLines: RequestObserver {
  private let output: LogOutput
  /// The lines of the last reports. NB: their memory is used again, because the allocation of large
  /// blocks makes other allocations slower.
  private let lines: Mutex<LogLines>
  let details = ReportDetails(hasTraceParents: true, hasQueries: true)

  init(output: LogOutput) {
    self.output = output
    lines = Mutex(LogLines(output.format))
  }

  func note(_ reports: [RequestReport]) {
    lines.withLock { lines in
      for report in reports {
        lines.add(time: report.endedAt, level: "info", message: "request") { line in
          Self.describe(report, in: &line)
        }
      }
      output.write(lines, isUrgent: false)
      lines.removeAll()
    }
  }

  private static func describe(_ report: RequestReport, in line: inout LogLines) {
    line.pair("request", report.requestID)
    line.pair("trace", TraceContext(report.traceParent)?.traceID)
    line.pair("method", report.method)
    line.pair("route", report.route)
    line.pair("status", report.status)
    line.pair("microseconds", report.microseconds)
    line.pair("bytesIn", report.bytesIn)
    line.pair("bytesOut", report.bytesOut)
    if let address = report.address {
      line.pair("container", address.store.loggedContainer)
      line.pair("environment", address.store.environment.rawValue)
      line.pair("database", address.scope.rawValue)
      line.pair("steps", report.steps)
      line.pair("user", report.userRecordName)
      line.pair("device", report.deviceID)
      line.pair("app", report.app)
    }
    line.pair("client", report.clientAddress)
    if let reason = report.reason {
      line.pair("outcome", report.outcome)
      line.pair("reason", reason)
    }
    line.pair("query", report.query)
  }
}

/// Logs each query that takes long, with its plan and without its values.
struct SlowQueries: RequestObserver {
  let milliseconds: Int64
  let logger: Logger

  var details: ReportDetails { ReportDetails(plansFrom: milliseconds) }

  func note(_ reports: [RequestReport]) {
    for report in reports { log(report) }
  }

  private func log(_ report: RequestReport) {
    guard report.nanoseconds / 1_000_000 >= milliseconds,
      let query = report.query, let address = report.address
    else { return }
    var metadata: Logger.Metadata = [
      "request": "\(report.requestID)", "milliseconds": "\(report.microseconds / 1_000)",
      "container": "\(address.store.container)",
      "environment": "\(address.store.environment.rawValue)",
      "database": "\(address.scope.rawValue)", "query": "\(query)",
      "outcome": "\(report.outcome)",
    ]
    if let plan = report.plan {
      metadata["plan"] = "\(plan.plan)"
      metadata["index"] = "\(plan.index)"
      metadata["ranges"] = "\(plan.ranges)"
      metadata["checked"] = "\(plan.remainingFilters.joined(separator: ", "))"
      metadata["entriesRead"] = "\(plan.entriesRead)"
      metadata["recordsRead"] = "\(plan.recordsRead)"
    }
    logger.warning("slow query", metadata: metadata)
  }
}

extension RequestReport {
  /// The whole microseconds of the duration.
  var microseconds: Int { Int(nanoseconds / 1_000) }
}
