import HTTPTypes
import StratusDomain
import StratusWire

extension Router {
  /// Returns the entry of the request log for a request, or nil if the request has no database.
  func entry(
    for request: HTTPRequest, _ exchange: Exchange, _ answer: AnswerBody, _ refusal: ServerError?,
    since beginning: Int64
  ) -> RequestEntry? {
    guard let (address, endpoint) = exchange.target else { return nil }
    var size = 0
    if case .bytes(let bytes) = answer { size = bytes.count }
    let caller = exchange.caller
    return RequestEntry(
      requestID: exchange.uuid, time: beginning,
      milliseconds: max(0, ambient.now() - beginning), bytesIn: Int64(exchange.sentBytes),
      bytesOut: Int64(size),
      // NB: a refused request may name any container.
      containerID: String(address.store.container.prefix(Limits.nameLengthMax)),
      environment: address.store.environment, database: address.scope, endpoint: endpoint,
      outcome: refusal?.code.rawValue ?? RequestEntry.okay, steps: Int64(caller.work.steps),
      userRecordName: caller.userRecordName, deviceID: caller.deviceID,
      app: ClientApp.name(of: request))
  }
}
