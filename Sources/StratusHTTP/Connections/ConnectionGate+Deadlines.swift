import Foundation
import HTTPTypes
import NIOCore
import StratusDomain
import StratusWire

extension ConnectionGate {
  /// The action of the client for which the connection is waiting.
  enum Wait {
    /// The client sends the first byte of a request.
    case request
    /// The client sends the rest of a head.
    case head
    /// The client sends the rest of a body.
    case body
    /// The client reads the written bytes.
    case answer
    /// The client closes the connection after the last answer.
    case goodbye
  }

  /// Sets the deadline for an action of the client.
  ///
  /// NB: the timer is not moved with each deadline, because this would need two queue operations of
  /// the event loop for each request. When the timer fires, it compares the time with the deadline.
  func expect(_ wait: Wait) {
    guard let loop else { return }
    self.wait = wait
    progressBytes = 0
    deadline = loop.now + limit(of: wait)
    if alarm == nil || deadline < alarmTime { setAlarm(loop) }
  }

  func stopWaiting() {
    wait = nil
    deadline = .distantFuture
    if case .leaving = phase {
      alarm?.cancel()
      alarm = nil
    }
  }

  /// Is called when bytes have arrived or the client has read some bytes.
  func progress(_ count: Int) {
    guard let wait, wait == .body || wait == .answer else { return }
    progressBytes += count
    if progressBytes >= Limits.progressBytesMin { expect(wait) }
  }

  private func limit(of wait: Wait) -> TimeAmount {
    switch wait {
    case .request: TimeAmount(settings.idleTimeout)
    case .head: TimeAmount(settings.headTimeout)
    case .body: TimeAmount(settings.bodyTimeout)
    case .answer: TimeAmount(settings.answerTimeout)
    case .goodbye:
      min(.seconds(Limits.lingerSecondsMax), TimeAmount(settings.answerTimeout))
    }
  }

  private func setAlarm(_ loop: any EventLoop) {
    alarm?.cancel()
    alarmTime = deadline
    alarm = loop.assumeIsolated().scheduleTask(deadline: deadline) { self.ring() }
  }

  private func ring() {
    alarm = nil
    guard let loop, let wait else { return }
    if loop.now < deadline { return setAlarm(loop) }
    self.wait = nil
    expire(wait)
  }

  private func expire(_ wait: Wait) {
    switch (wait, phase) {
    case (.head, .ready), (.body, .collecting), (.body, .readingBody):
      refuse(.requestTimeout, .badRequest(Reason.requestTimeout))
    case (.body, .answering):
      // The endpoint ends with an error, and the connection closes after the answer.
      isLastAnswer = true
      intake?.fail(.badRequest(Reason.requestTimeout))
    case (.answer, _): reset()
    case (.request, _), (.head, _), (.body, _), (.goodbye, _):
      context?.close(promise: nil)
    }
  }

  /// Closes the connection of a client that does not read.
  ///
  /// NB: after a normal close, the system would keep the unread bytes, which may be megabytes, and
  /// would offer them to the client for minutes.
  private func reset() {
    guard let context else { return }
    let isSet = (context.channel as? any SocketOptionProvider)?.setSoLinger(
      linger(l_onoff: 1, l_linger: 0))
    guard let isSet else { return context.close(promise: nil) }
    isSet.assumeIsolated().whenComplete { _ in self.context?.close(promise: nil) }
  }

  /// Starts the grace period. After it, the connection closes even if a request is in progress.
  func startGracePeriod() {
    graceAlarm = loop?.assumeIsolated().scheduleTask(in: TimeAmount(settings.gracePeriod)) {
      self.context?.close(promise: nil)
    }
  }
}
