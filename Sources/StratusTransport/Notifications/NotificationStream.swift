public import StratusWire
import Synchronization

/// Receives and acknowledges the user's notifications in a container.
public final class NotificationStream: Sendable {
  /// The number of seconds of silence after which a connection counts as lost. The server sends a
  /// heartbeat at least every 30 s, but the heartbeat may be late.
  static let silenceSecondsMax = 60.0
  /// The number of seconds after which a connection counts as stable. The end of a stable
  /// connection is not a failure.
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

  /// Whether a user is signed in.
  public var hasUser: Bool { connection.hasUser }
  /// See ``Connection/generation``.
  public var generation: Int { connection.generation }

  /// Receives notifications until the task is cancelled. A lost or refused connection is opened
  /// again, with a longer delay after each failure.
  ///
  /// - Parameters:
  ///   - number: the number of the last notification that was received. nil means that the stream
  ///     begins with the notifications that this device has not acknowledged.
  ///   - opened: called when the device may have missed notifications, because the server may have
  ///     created the device's queue just now. This happens with the first connection, and with a
  ///     server that was restored from a backup.
  ///   - deliver: called once for each notification, one at a time. The stream is not read during
  ///     the call.
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

  /// Returns the number of seconds until the next attempt. The delay doubles with each failure, up
  /// to one minute, unless the server requests a longer delay. It is randomised, so that the
  /// clients of a restarted server do not all return at the same time.
  package static func delay(failures: Int, chance: Double, asked: Double?) -> Double {
    let doubled = RetryPolicy.firstDelaySeconds * Double(1 << min(failures - 1, 16))
    let spread = min(doubled, RetryPolicy.delaySecondsMax) * (0.5 + chance / 2)
    return max(spread, asked ?? 0)
  }

  /// The result of a connection that has ended.
  private struct End {
    var hasHeard = false
    var retryAfterSeconds: Double?
  }

  /// The server's history to which the device's queue belongs.
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
      // The connection is opened again after any error.
    }
    return end
  }

  private func read(
    _ body: any EventBody, after last: inout Int64?, _ end: inout End,
    _ deliver: @Sendable (NumberedNotification) async -> Void
  ) async throws(NetworkFailure) {
    var reader = ServerSentEvents()
    // NB: within one connection, a number that does not grow is a repetition. A new connection may
    // have lower numbers, because the server may have been restored from a backup.
    var newest: Int64?
    while let bytes = try await body.next() {
      guard let events = try? reader.read(bytes) else { return }
      for event in events where event.type == "notification" {
        guard let number = Int64(event.id), number > newest ?? .min else { continue }
        if newest == nil && number == last { continue }
        newest = number
        last = number
        end.hasHeard = true
        // NB: an unreadable notification is skipped, so that it does not block later notifications.
        guard let payload = try? NotificationPayload(jsonBytes: Array(event.data.utf8)) else {
          continue
        }
        await deliver(NumberedNotification(number: number, payload: payload))
        if Task.isCancelled { return }
      }
    }
  }

  /// Acknowledges all notifications up to this number. Requests are sent one at a time, each with
  /// the newest number.
  ///
  /// A failed request is retried for a limited time. After that, a later acknowledgement also
  /// includes this number. Without a later acknowledgement, the device receives the notifications
  /// again.
  ///
  /// - Parameter generation: the ``generation`` in which the notification was received. nil means
  ///   the present generation. A number is never sent in the name of another account, which may not
  ///   have received the earlier notifications.
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
