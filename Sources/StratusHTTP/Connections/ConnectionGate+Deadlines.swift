import HTTPTypes
import NIOCore
import StratusDomain
import StratusWire

extension ConnectionGate {
  /// An act of the client that the connection waits for.
  enum Wait {
    /// The first byte of a request.
    case request
    /// The rest of a head.
    case head
    /// The rest of a body.
    case body
    /// That the client reads what was written.
    case answer
    /// That the client closes, after the last answer.
    case goodbye
  }

  /// Begins to wait.
  ///
  /// NB: the alarm does not move with each deadline, since that would be two operations on the
  /// loop's queue for each request. It looks at the deadline when it rings.
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

  /// Bytes came or were read.
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
    case (.head, .ready), (.body, .collecting), (.body, .hearing):
      refuse(.requestTimeout, .badRequest(Reason.requestTimeout))
    case (.body, .answering):
      // The endpoint stops and says so; the connection ends with its answer.
      isLastAnswer = true
      intake?.fail(.badRequest(Reason.requestTimeout))
    case (.request, _), (.head, _), (.body, _), (.answer, _), (.goodbye, _):
      context?.close(promise: nil)
    }
  }

  /// After which the connection closes, whatever is in progress.
  func startGracePeriod() {
    graceAlarm = loop?.assumeIsolated().scheduleTask(in: TimeAmount(settings.gracePeriod)) {
      self.context?.close(promise: nil)
    }
  }
}
