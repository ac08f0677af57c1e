import HTTPTypes

extension Router {
  /// Answers a request to the port of the metrics.
  func show(
    _ metrics: @Sendable () async -> [UInt8], to request: HTTPRequest
  ) async -> (head: HTTPResponse, body: AnswerBody) {
    var head = HTTPResponse(status: .ok)
    head.headerFields[.cacheControl] = "no-store"
    head.headerFields[.xContentTypeOptions] = "nosniff"
    head.headerFields[.contentSecurityPolicy] = Self.emptyPolicy
    guard RequestTarget(request.path ?? "/").path == "/metrics" else {
      head.status = .notFound
      return (head, .bytes([]))
    }
    guard request.method == .get || request.method == .head else {
      head.status = .methodNotAllowed
      return (head, .bytes([]))
    }
    head.headerFields[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
    let bytes = await metrics()
    return (
      head, request.method == .head ? .absent(size: Int64(bytes.count)) : .bytes(bytes)
    )
  }
}
