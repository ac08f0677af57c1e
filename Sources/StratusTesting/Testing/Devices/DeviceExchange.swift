import StratusDomain
import StratusKit
import StratusServer
import StratusTransport
import StratusWire

/// Sends the requests of one app launch to the server. Faults, the network and the state of the
/// account affect the requests.
final class DeviceExchange: HTTPExchange {
  let core: TestCore
  let network: DeviceNetwork
  /// The store of the container.
  private let address: StoreAddress

  init(core: TestCore, network: DeviceNetwork, address: StoreAddress) {
    self.address = address
    self.core = core
    self.network = network
  }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    let request = DeviceRequest(request)
    network.note(request)
    guard network.isOnline else { throw .notConnected }
    guard
      let (requests, fault) = network.faults.take(for: request) ?? core.faults.take(for: request)
    else { return try await pass(request) }
    switch fault {
    case .error(let code, let seconds):
      let faults = ItemFaults(Refusal(code, retryAfterSeconds: seconds), requests, request)
      return try await faults.answer { request throws(NetworkFailure) in
        try await self.pass(request)
      }
    case .disturbance(let kind): return try await suffer(kind, request)
    }
  }

  private func suffer(
    _ kind: TestDisturbance.Kind, _ request: DeviceRequest
  ) async throws(NetworkFailure) -> HTTPResponse {
    switch kind {
    case .losesRequest: throw .lostBeforeSending
    case .losesResponse:
      _ = try await pass(request)
      throw .lostAfterSending
    case .answers(let status, let seconds):
      return HTTPResponse(
        status: status, headers: seconds.map { ["retry-after": String($0)] } ?? [:], body: [])
    case .isLate(let duration):
      let timeout = Duration.seconds(request.sent.timeoutSeconds)
      do { try await core.clock.pause(min(duration, timeout)) } catch { throw .cancelled }
      if duration >= timeout { throw .timedOut }
      return try await pass(request)
    }
  }

  /// Passes a request to the server, unless the server or the account refuses requests.
  private func pass(_ request: DeviceRequest) async throws(NetworkFailure) -> HTTPResponse {
    guard network.isOnline else { throw .notConnected }
    if let refusal { return refusal.response }
    let account = network.account
    if let account, let refusal = Self.refusal(of: request, for: account) {
      return refusal.response
    }
    return try await core.answering { () throws(NetworkFailure) in
      if let standing = account?.standing, standing.isStorageFull, request.isPrivate,
        let modification = request.modification
      {
        let faults = ItemFaults(
          Refusal(.quotaExceeded), savesOf: modification, request)
        return try await faults.answer { request throws(NetworkFailure) in
          try await self.ask(request)
        }
      }
      return try await self.ask(request)
    }
  }

  /// The reason why all requests are refused. nil means that requests are allowed.
  var refusal: Refusal? {
    if !core.isAvailable { return Refusal(.serviceUnavailable, retryAfterSeconds: 30) }
    return (network.account?.standing.refusal).map { Refusal($0) }
  }

  /// Returns the reason why a request is refused for an account, or nil if the request is allowed.
  private static func refusal(of request: DeviceRequest, for account: AccountState) -> Refusal? {
    guard request.isPrivate, let container = request.container else { return nil }
    if let zones = request.zoneOperations {
      account.change { standing in
        for operation in zones.operations where operation.kind == .create {
          standing.purgedZones.remove(
            .init(container: container, name: ExactName(operation.zoneID.zoneName)))
        }
      }
    }
    guard request.modification != nil else { return nil }
    let isPurged = account.standing.purgedZones.contains {
      $0.container == container && request.concerns(zoneNamed: $0.name)
    }
    return isPurged ? Refusal(.userDeletedZone) : nil
  }

  private func ask(_ request: DeviceRequest) async throws(NetworkFailure) -> HTTPResponse {
    do throws(ServerError) { try await core.prepare(address) } catch {
      return Refusal(.internalError).response
    }
    var sent = request.sent
    if request.endpoint == AcknowledgeNotifications.path,
      let acknowledged = try? AcknowledgeNotifications.Request(jsonBytes: sent.body)
    {
      let through = DevicePost.serverNumber(acknowledged.through)
      sent.body = AcknowledgeNotifications.Request(through: through).jsonBytes
    }
    let answer = try await RouterExchange(router: core.composition.router).send(sent)
    if sent.method == .post { await core.continueWork() }
    return answer
  }
}

/// An error with an error code of the CloudKit framework, in the form of CloudKit Web Services.
struct Refusal: Sendable {
  let error: ErrorDictionary

  /// - Parameter retryAfterSeconds: the delay before a retry, which is rounded up to whole seconds.
  init(_ code: CKError.Code, retryAfterSeconds: Double? = nil) {
    error = ErrorDictionary(
      code: .badRequest, reason: "\(code) was requested by the test", uuid: "",
      retryAfterSeconds: retryAfterSeconds.map { Int($0.rounded(.up)) },
      nativeCode: code.rawValue)
  }

  /// NB: a real server sends a temporary error with another status. With that status, the framework
  /// would retry the request.
  var response: HTTPResponse { HTTPResponse(status: 400, body: error.jsonBytes) }
}
