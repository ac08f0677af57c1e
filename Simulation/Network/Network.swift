import Foundation
import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTransport

/// Carries a device's requests to the server process that runs when they arrive. Some requests and
/// answers are lost, repeated or delayed.
struct Network: HTTPExchange {
  let cloud: Cloud
  let mishaps: Mishaps
  let traffic: Traffic
  /// The life of the app that sends the requests.
  let life: Life
  /// The name of the app's device.
  let device: String
  /// The user name of a guest, or nil for other users. Answers to a guest must not contain records
  /// that are hidden from the guest.
  var guest: String?

  func send(
    _ request: StratusTransport.HTTPRequest
  ) async throws(NetworkFailure) -> StratusTransport.HTTPResponse {
    if !life.goesOn() || Task.isCancelled { throw .cancelled }
    if mishaps.happens(\.repeatedRequest) {
      Task {
        await travel()
        _ = await arrive(request)
        noteLostAnswer(request)
      }
    }
    await travel()
    if mishaps.happens(\.lostRequest) {
      await stall()
      throw life.isOver ? .cancelled : .lostBeforeSending
    }
    let answer = await arrive(request)
    if life.isOver || answer == nil { noteLostAnswer(request) }
    await travel()
    if !life.goesOn() {
      noteLostAnswer(request)
      throw .cancelled
    }
    // NB: if the request was cancelled in the meantime, the server has still carried it out, but
    // the caller gets no answer.
    if Task.isCancelled {
      noteLostAnswer(request)
      throw .cancelled
    }
    guard let answer else { throw .lostAfterSending }
    if mishaps.happens(\.brokenAnswer) {
      noteLostAnswer(request)
      return StratusTransport.HTTPResponse(status: 500, headers: [:], body: [])
    }
    if mishaps.happens(\.lostAnswer) {
      noteLostAnswer(request)
      await stall()
      throw life.isOver ? .cancelled : .timedOut
    }
    return answer
  }

  private func noteLostAnswer(_ request: StratusTransport.HTTPRequest) {
    if request.url.path.hasSuffix("/modify") { traffic.noteLostWriteAnswer(of: device) }
  }

  /// Adds a small page size to a request for changes. The framework leaves the size to the server,
  /// so all data of a simulation would otherwise fit into one page.
  private func paged(_ request: StratusTransport.HTTPRequest) -> [UInt8] {
    let path = request.url.path
    guard path.hasSuffix("changes/zone") || path.hasSuffix("changes/database"),
      request.body.first == UInt8(ascii: "{")
    else { return request.body }
    let isEmpty = request.body == [UInt8(ascii: "{"), UInt8(ascii: "}")]
    let limit = #"{"resultsLimit":\#(mishaps.pageSize())\#(isEmpty ? "" : ",")"#
    return Array(limit.utf8) + request.body.dropFirst()
  }

  /// NB: a request that has been sent arrives even if its sender crashes.
  func travel() async {
    let end = traffic.begin()
    try? await Loop.shared.sleep(mishaps.travelSeconds(slow: \.slowRequest))
    end()
  }

  func stall() async { try? await Loop.shared.sleep(2) }

  /// - Returns: nil if no server answered.
  private func arrive(
    _ request: StratusTransport.HTTPRequest
  ) async -> StratusTransport.HTTPResponse? {
    guard let server = cloud.process, !server.life.isOver else { return nil }
    var head = head(of: request, method: request.method == .get ? .get : .post)
    head.headerFields[.contentType] = "application/json"
    let version = cloud.truth?.version ?? 0
    let (answer, contents) = await server.router.answer(head, body: WholeBody(paged(request)))
    if server.life.isOver { return nil }
    guard case .bytes(let body) = contents else { return nil }
    if let guest { cloud.truth?.check(body, for: guest, since: version) }
    if answer.status.code >= 500 { cloud.note(serverFault: String(decoding: body, as: UTF8.self)) }
    return StratusTransport.HTTPResponse(
      status: answer.status.code, headers: Self.headers(of: answer), body: body)
  }

  /// Returns the head of the request as the server receives it.
  func head(
    of request: StratusTransport.HTTPRequest, method: HTTPTypes.HTTPRequest.Method
  ) -> HTTPTypes.HTTPRequest {
    var head = HTTPTypes.HTTPRequest(
      method: method, scheme: "http", authority: "stratus.simulation",
      path: request.url.target(from: device))
    if let name = HTTPField.Name("Last-Event-ID") {
      head.headerFields[name] = request.headers["Last-Event-ID"]
    }
    return head
  }

  static func headers(of answer: HTTPTypes.HTTPResponse) -> [String: String] {
    var headers: [String: String] = [:]
    for field in answer.headerFields { headers[field.name.canonicalName] = field.value }
    return headers
  }
}

extension URL {
  /// Returns the path and the query of a request as they are sent.
  ///
  /// NB: the framework sends an ID of its process as the device ID. In the simulation, one process
  /// has many devices, so each request contains the ID of its own device.
  fileprivate func target(from device: String) -> String {
    let path = path(percentEncoded: true)
    let query = (query(percentEncoded: true) ?? "").split(separator: "&").map { part in
      part.hasPrefix("clientId=") ? "clientId=\(device)" : part
    }
    return "\(path)?\(query.joined(separator: "&"))"
  }
}
