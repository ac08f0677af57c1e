public import HTTPTypes
public import StratusDomain
import StratusWire

/// The answer to a request to listen for notifications.
public enum ListeningAnswer: Sendable {
  /// The device's notifications, which are sent as they arrive. The stream counts against the
  /// user's limit until its slot is released.
  case stream(HTTPResponse, ListeningDevice, StreamSlot)
  /// One notification for any of the devices. If none arrives before the deadline, the answer is
  /// empty.
  case poll(HTTPResponse, [ListeningDevice], until: Int64)
  case refusal(HTTPResponse, [UInt8])
}

extension Router {
  /// Whether a request listens for notifications. If so, ``listen(_:from:)`` answers it.
  public func isListening(_ request: HTTPRequest) -> Bool {
    guard console == nil, endpointSet != .management, request.method == .get,
      let path = request.path,
      path.utf8.starts(with: "/push/".utf8) || path.utf8.starts(with: "/d".utf8)
    else { return false }
    switch RequestPath(RequestTarget(path).path) {
    case .stream, .courier: return true
    case .database, .management, .upload, .download, .health, .home, .openAPI, .page, nil:
      return false
    }
  }

  /// Authorizes a request to listen for notifications, and returns the beginning of the answer.
  ///
  /// - Parameter clientAddress: the address of the connection's client, or nil if it has none.
  public func listen(
    _ request: HTTPRequest, from clientAddress: String? = nil
  ) async -> ListeningAnswer {
    var exchange = exchange(for: request, from: clientAddress)
    do throws(ServerError) {
      let target = RequestTarget(request.path ?? "/")
      switch RequestPath(target.path) {
      case .stream(let address):
        let subject = try await admit(
          request, target.query, to: address, WholeBody([]), &exchange)
        try exchange.requireOrigin(of: request)
        try pace.admitRequest(of: subject)
        let lastEventID = request.headerFields[.lastEventID].flatMap { Int64($0) }
        let (device, epoch, slot) = try await listening.stream(
          for: exchange.caller, at: address, lastEventID: lastEventID)
        exchange.fields = [
          .contentType: "text/event-stream; charset=UTF-8", .cacheControl: "no-store",
          .proxyBuffering: "no", .epoch: String(epoch),
        ]
        return .stream(head(for: request, exchange), device, slot)
      case .courier(let token):
        exchange.isCourier = true
        let devices = try await listening.poll(token: token, by: authentication)
        exchange.fields = [.cacheControl: "no-store"]
        return .poll(head(for: request, exchange), devices, until: listening.pollDeadline)
      case .database, .management, .upload, .download, .health, .home, .openAPI, .page, nil:
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
    } catch {
      let body = describe(error, &exchange)
      return .refusal(head(for: request, exchange), body)
    }
  }
}

extension Router {
  /// Answers a request to listen for notifications. Callers without a connection use this method,
  /// for example tests. The body of a stream continues until the caller stops reading it. The body
  /// of a poll is complete when this method returns: it contains the notification, or is empty
  /// after the deadline.
  ///
  /// - Returns: the head, and the bytes of the body without the chunked encoding.
  public func open(
    _ request: HTTPRequest
  ) async -> (head: HTTPResponse, body: AsyncStream<[UInt8]>) {
    switch await listen(request) {
    case .stream(let head, let device, let slot):
      return (head, hub.listen(as: device, on: slot, EventText.event))
    case .poll(let head, let devices, let deadline):
      return (head, Self.once(await hub.poll(as: devices, until: deadline)))
    case .refusal(let head, let body): return (head, Self.once(body))
    }
  }

  private static func once(_ bytes: [UInt8]?) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      if let bytes { continuation.yield(bytes) }
      continuation.finish()
    }
  }
}

extension RequestPath {
  var isCourier: Bool {
    switch self {
    case .courier: true
    case .database, .management, .upload, .download, .health, .home, .openAPI, .stream, .page: false
    }
  }
}

extension HTTPField.Name {
  /// The number of the last event of an earlier stream (HTML, server-sent events).
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .server
  /// The epoch of the store, which changes when a server is restored from a backup.
  static let epoch = HTTPField.Name("X-Stratus-Epoch") ?? .server
  /// A field that tells nginx not to buffer events.
  static let proxyBuffering = HTTPField.Name("X-Accel-Buffering") ?? .server
}
