import HTTPTypes
import StratusDomain
import StratusWire

extension Router {
  /// Returns the entry of the request log for a request, or nil if the request has no database.
  func entry(
    for request: HTTPRequest, _ exchange: Exchange, _ answer: AnswerBody, since beginning: Int64
  ) -> RequestEntry? {
    guard let (address, endpoint) = exchange.target else { return nil }
    var size = 0
    if case .bytes(let bytes) = answer { size = bytes.count }
    let caller = exchange.caller
    let milliseconds = max(0, ambient.now() - beginning)
    let report = caller.work.queryReport
    return RequestEntry(
      requestID: exchange.uuid, time: beginning,
      milliseconds: milliseconds, bytesIn: Int64(exchange.sentBytes),
      bytesOut: Int64(size),
      containerID: address.store.loggedContainer,
      environment: address.store.environment, database: address.scope, endpoint: endpoint,
      outcome: exchange.refusal?.code.rawValue ?? RequestEntry.okay,
      steps: Int64(caller.work.steps),
      userRecordName: caller.userRecordName, deviceID: caller.deviceID,
      app: ClientApp.name(of: request),
      reason: exchange.refusal.map { Self.loggedForm(of: $0.reason) },
      query: report?.form,
      plan: milliseconds >= Limits.slowQueryMilliseconds ? report?.explanation : nil)
  }

  /// Returns the sentence of an error without the caller's own words, which stand in quotation
  /// marks.
  ///
  /// NB: the sentence about an unknown record type ends with the caller's word, without quotation
  /// marks. No other sentence does so.
  ///
  /// NB: a caller's word may itself contain quotation marks, so everything from the first to the
  /// last one is left out.
  package static func loggedForm(of reason: String) -> String {
    if reason.hasPrefix(Reason.recordTypeNotFound) { return Reason.recordTypeNotFound + "…" }
    let short = reason.prefix(200)
    guard let first = short.firstIndex(of: "'") else { return String(short) }
    // NB: if the sentence was cut inside a quotation, there is no last quotation mark.
    guard short.endIndex == reason.endIndex, let last = short.lastIndex(of: "'"), last > first
    else { return "\(short[...first])…" }
    return "\(short[...first])…\(short[last...])"
  }
}
