public import HTTPTypes
public import StratusDomain
import StratusWire

/// The answer to a request to listen for notifications.
public enum ListeningAnswer: Sendable {
  /// The device's notifications, as they come; the stream is counted for as long as its slot is
  /// held.
  case stream(HTTPResponse, ListeningDevice, StreamSlot)
  /// One notification for any of the devices, or nothing when the time is up.
  case poll(HTTPResponse, [ListeningDevice], until: Int64)
  case refusal(HTTPResponse, [UInt8])
}

extension Router {
  /// Whether a request listens for notifications: then ``listen(_:)`` answers it.
  public func isListening(_ request: HTTPRequest) -> Bool {
    guard endpointSet != .management, request.method == .get, let path = request.path,
      path.utf8.starts(with: "/push/".utf8) || path.utf8.starts(with: "/d".utf8)
    else { return false }
    switch RequestPath(RequestTarget(path).path) {
    case .stream, .courier: return true
    case .database, .management, .upload, .download, .health, .home, .page, nil: return false
    }
  }

  /// Authorizes a request to listen for notifications, and returns the beginning of the answer.
  ///
  /// - Parameter clientAddress: of the connection; nil: there is none.
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
      case .database, .management, .upload, .download, .health, .home, .page, nil:
        throw ServerError(.notFound, Reason.endpointUnknown)
      }
    } catch {
      let body = describe(error, &exchange)
      return .refusal(head(for: request, exchange), body)
    }
  }
}

extension Router {
  /// Answers a request that listens, without a socket: a stream's body comes as long as it is read,
  /// a poll's at once, with the notification or when its time is up.
  ///
  /// - Returns: bytes of the body as they come, without chunks.
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
    case .database, .management, .upload, .download, .health, .home, .stream, .page: false
    }
  }
}

extension HTTPField.Name {
  /// Where an earlier stream ended (HTML, server-sent events).
  static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .server
  /// Tells a server that has been set back to a backup from what it was.
  static let epoch = HTTPField.Name("X-Stratus-Epoch") ?? .server
  /// Says to nginx that events are not to be collected.
  static let proxyBuffering = HTTPField.Name("X-Accel-Buffering") ?? .server
}
