import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// A network that answers from a list and records the requests.
final class ScriptedExchange: HTTPExchange {
  enum Step: Sendable {
    case answer(Int, String, headers: [String: String] = [:])
    case fail(NetworkFailure)
    /// An answer with more bytes than the client accepts.
    case tooLarge(Int)
  }

  private let steps: Mutex<[Step]>
  private let log = Mutex<[HTTPRequest]>([])

  init(_ steps: [Step]) { self.steps = Mutex(steps) }

  var requests: [HTTPRequest] { log.withLock { $0 } }

  func send(_ request: HTTPRequest) async throws(NetworkFailure) -> HTTPResponse {
    log.withLock { $0.append(request) }
    let step = steps.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    switch step {
    case .answer(let status, let body, let headers):
      return HTTPResponse(status: status, headers: headers, body: Array(body.utf8))
    case .fail(let failure): throw failure
    case .tooLarge(let status): return HTTPResponse(status: status, body: [], isTooLarge: true)
    case nil: throw .lostBeforeSending
    }
  }
}

/// A clock that moves only when a task sleeps.
final class FakeTime: Sendable {
  private let state = Mutex((now: 0.0, sleeps: [Double]()))

  var sleeps: [Double] { state.withLock { $0.sleeps } }

  func timing(chance: Double = 0) -> Timing {
    Timing(
      now: { self.state.withLock { $0.now } },
      sleep: { seconds in
        try Task.checkCancellation()
        self.state.withLock { state in
          state.now += seconds
          state.sleeps.append(seconds)
        }
      },
      chance: { chance })
  }
}

/// The answer to a `zones/list` request when there is no zone.
let emptyList = #"{"zones":[]}"#

func refusal(_ code: String, retryAfter: Int? = nil) -> String {
  let retry = retryAfter.map { #","retryAfter":\#($0)"# } ?? ""
  return #"{"uuid":"U","serverErrorCode":"\#(code)","reason":"R"\#(retry)}"#
}

func connection(
  _ exchange: ScriptedExchange, _ time: FakeTime = FakeTime(), apiToken: String? = "api",
  webAuthToken: String? = "web", chance: Double = 0
) -> Connection {
  Connection(
    to: Connection.Address(
      url: "https://cloud.example.org", container: "iCloud.org.example.App",
      environment: .development, deviceID: "D-1"),
    apiToken: apiToken, webAuthToken: webAuthToken, exchange: exchange,
    timing: time.timing(chance: chance))
}
