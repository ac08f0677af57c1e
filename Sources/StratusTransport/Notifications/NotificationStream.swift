public import StratusWire
import Synchronization

/// The user's notifications in a container, heard and acknowledged.
public final class NotificationStream: Sendable {
  /// Seconds of silence after which a connection counts as lost: the server says something every
  /// 25 s, and may be late with one of them.
  static let silenceSecondsMax = 60.0
  /// Seconds after which a connection has held, so that its end is no sign of trouble.
  static let steadySeconds = 30.0

  private struct Acknowledging {
    var wanted: (number: Int64, generation: Int?)?
    var isSending = false
  }

  private let connection: Connection
  private let exchange: any EventExchange
  private let acknowledging = Mutex(Acknowledging())

  public init(connection: Connection, exchange: any EventExchange) {
    self.connection = connection
    self.exchange = exchange
  }

  /// Whether there is a user, whose they are.
  public var hasUser: Bool { connection.hasUser }
  /// See ``Connection/generation``.
  public var generation: Int { connection.generation }

  /// Hears notifications until the task is cancelled. A connection that is lost or refused is made
  /// again, later each time it does not hold.
  ///
  /// - Parameters:
  ///   - number: the last one that is known; nil: whatever this device has not acknowledged.
  ///   - opened: called where the device may have missed something until now, as the server may
  ///     have begun a queue for it only now: with the first connection, and with one to a server
  ///     that has been set back to a backup. What happens later is told.
  ///   - deliver: called for one after another, each once; the stream is not read while it runs.
  public func run(
    after number: Int64?, opened: @Sendable () -> Void = {},
    deliver: @Sendable (NumberedNotification) async -> Void
  ) async {
    var last = number
    var timeline: Timeline?
    var failures = 0
    while !Task.isCancelled {
      let start = connection.timing.now()
      let end = await listen(after: &last, in: &timeline, opened, deliver)
      if Task.isCancelled { return }
      let held = connection.timing.now() - start >= Self.steadySeconds
      failures = end.hasHeard || held ? 1 : failures + 1
      let delay = Self.delay(
        failures: failures, chance: connection.timing.chance(), asked: end.retryAfterSeconds)
      do { try await connection.timing.sleep(delay) } catch { return }
    }
  }

  /// Seconds until the next attempt: doubled from one to the next, and spread, so that the clients
  /// of a server that was away do not come back at once.
  package static func delay(failures: Int, chance: Double, asked: Double?) -> Double {
    let doubled = RetryPolicy.firstDelaySeconds * Double(1 << min(failures - 1, 16))
    let spread = min(doubled, RetryPolicy.delaySecondsMax) * (0.5 + chance / 2)
    return max(spread, asked ?? 0)
  }

  /// How a connection ended.
  private struct End {
    var hasHeard = false
    var retryAfterSeconds: Double?
  }

  /// The history of the server's that the queue belongs to.
  private struct Timeline: Equatable {
    var epoch: String?
  }

  private func listen(
    after last: inout Int64?, in timeline: inout Timeline?, _ opened: @Sendable () -> Void,
    _ deliver: @Sendable (NumberedNotification) async -> Void
  ) async -> End {
    guard let (url, generation) = connection.streamAddress else { return End() }
    var headers = ["Accept": "text/event-stream", "Cache-Control": "no-store"]
    headers["Last-Event-ID"] = last.map(String.init)
    let request = HTTPRequest(
      method: .get, url: url, headers: headers, body: [], timeoutSeconds: Self.silenceSecondsMax)
    var end = End()
    do throws(NetworkFailure) {
      let answer = try await exchange.open(request)
      defer { answer.body.close() }
      connection.keepToken(in: answer.headers, of: generation)
      guard answer.status == 200,
        answer.headers["content-type"]?.hasPrefix("text/event-stream") == true
      else {
        let response = HTTPResponse(status: answer.status, headers: answer.headers, body: [])
        return End(retryAfterSeconds: response.retryAfterSeconds)
      }
      let now = Timeline(epoch: answer.headers["x-stratus-epoch"])
      if timeline != now { opened() }
      timeline = now
      try await read(answer.body, after: &last, &end, deliver)
    } catch {
      // Whatever broke it, it is made again.
    }
    return end
  }

  private func read(
    _ body: any EventBody, after last: inout Int64?, _ end: inout End,
    _ deliver: @Sendable (NumberedNotification) async -> Void
  ) async throws(NetworkFailure) {
    var reader = ServerSentEvents()
    // NB: only within one connection is a number that does not grow a repetition. Behind a new one
    // the server may have been set back to a backup, and count from there.
    var heard: Int64?
    while let bytes = try await body.next() {
      guard let events = try? reader.read(bytes) else { return }
      for event in events where event.type == "notification" {
        guard let number = Int64(event.id), number > heard ?? .min else { continue }
        if heard == nil && number == last { continue }
        heard = number
        last = number
        end.hasHeard = true
        // NB: one that cannot be read is passed over; it must not hold up those behind it.
        guard let payload = try? NotificationPayload(jsonBytes: Array(event.data.utf8)) else {
          continue
        }
        await deliver(NumberedNotification(number: number, payload: payload))
        if Task.isCancelled { return }
      }
    }
  }

  /// Tells the server that this device has all up to a number, soon: one request at a time, each
  /// with the newest number.
  ///
  /// What fails is not repeated for ever: a later number says the same, and without one the device
  /// hears again.
  ///
  /// - Parameter generation: the ``generation`` in which it was heard: a number of one account's is
  ///   not said in the name of another, who may not have heard what lies before it. nil: the
  ///   present one.
  public func acknowledge(through number: Int64, in generation: Int? = nil) {
    let begins = acknowledging.withLock { state in
      state.wanted = (number, generation)
      defer { state.isSending = true }
      return !state.isSending
    }
    if begins { Task { await sendAcknowledgements() } }
  }

  private func sendAcknowledgements() async {
    while let (number, generation) = nextAcknowledgement() {
      let options = Connection.Options(
        resourceTimeoutSeconds: 300, patience: .long, generation: generation)
      _ = try? await connection.send(
        AcknowledgeNotifications.self, AcknowledgeNotifications.Request(through: number),
        to: .private, isIdempotent: true, options: options)
    }
  }

  private func nextAcknowledgement() -> (number: Int64, generation: Int?)? {
    acknowledging.withLock { state in
      defer { state.wanted = nil }
      state.isSending = state.wanted != nil
      return state.wanted
    }
  }
}
