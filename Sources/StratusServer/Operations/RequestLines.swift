import HTTPTypes
import Logging
import StratusDomain
import StratusHTTP
import StratusWire

/// Writes one line for each request, without its contents.
struct RequestLines: RequestObserver {
  let output: LogOutput

  func note(_ reports: [RequestReport]) {
    var lines = LogLines(output.format, reserving: reports.count)
    for report in reports {
      lines.begin(time: report.endedAt, level: "info", message: "request")
      describe(report, in: &lines)
      lines.end()
    }
    output.write(lines, isUrgent: false)
  }

  private func describe(_ report: RequestReport, in line: inout LogLines) {
    line.pair("request", report.requestID)
    line.pair("trace", TraceContext(report.traceParent)?.traceID)
    line.pair("method", report.method.rawValue)
    line.pair("route", report.route)
    line.pair("status", report.status)
    line.pair("microseconds", report.microseconds)
    line.pair("bytesIn", report.bytesIn)
    line.pair("bytesOut", report.bytesOut)
    if let address = report.address {
      line.pair("container", address.store.loggedContainer)
      line.pair("environment", address.store.environment.rawValue)
      line.pair("database", address.scope.rawValue)
      line.pair("steps", report.caller.work.steps)
      line.pair("user", report.caller.userRecordName)
      line.pair("device", report.caller.deviceID)
      line.pair("app", report.app)
    }
    line.pair("client", report.caller.clientAddress)
    if report.refusal != nil {
      line.pair("outcome", report.outcome)
      line.pair("reason", report.reason)
    }
    line.pair("query", report.caller.work.queryForm)
  }
}

/// Logs each query that takes long, with its plan and without its values.
struct SlowQueries: RequestObserver {
  let milliseconds: Int64
  let logger: Logger

  func note(_ reports: [RequestReport]) {
    for report in reports { log(report) }
  }

  private func log(_ report: RequestReport) {
    guard report.duration >= .milliseconds(milliseconds),
      let query = report.caller.work.queryReport, let address = report.address
    else { return }
    var metadata: Logger.Metadata = [
      "request": "\(report.requestID)", "milliseconds": "\(report.microseconds / 1_000)",
      "container": "\(address.store.container)",
      "environment": "\(address.store.environment.rawValue)",
      "database": "\(address.scope.rawValue)", "query": "\(query.form)",
      "outcome": "\(report.outcome)",
    ]
    if let plan = query.explanation {
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
  var microseconds: Int {
    let parts = duration.components
    return Int(parts.seconds) * 1_000_000 + Int(parts.attoseconds / 1_000_000_000_000)
  }
}
