import StratusTransport
import StratusWire
import Testing

@Suite struct `The retry policy` {
  private func isRepeated(
    _ failure: TransportFailure, _ patience: Patience, isIdempotent: Bool, attempt: Int = 1
  ) -> Bool {
    RetryPolicy(patience: patience, isIdempotent: isIdempotent)
      .delay(after: failure, attempt: attempt, remaining: nil, chance: 0) != nil
  }

  @Test func `while a caller waits, an unreachable server and a time-out are not retried`() {
    #expect(!isRepeated(.network(.notConnected), .short, isIdempotent: true))
    #expect(!isRepeated(.network(.lostBeforeSending), .short, isIdempotent: true))
    #expect(!isRepeated(.network(.timedOut), .short, isIdempotent: true))
  }

  @Test func `a network error is retried if no caller waits for the result`() {
    #expect(isRepeated(.network(.notConnected), .long, isIdempotent: false))
    #expect(isRepeated(.network(.lostBeforeSending), .long, isIdempotent: false))
    #expect(isRepeated(.network(.timedOut), .long, isIdempotent: true))
  }

  @Test func `a request that may have succeeded and must not run twice is never repeated`() {
    for patience in [Patience.short, .long] {
      #expect(!isRepeated(.network(.lostAfterSending), patience, isIdempotent: false))
      #expect(!isRepeated(.network(.timedOut), patience, isIdempotent: false))
    }
  }

  @Test func `a request is sent once more after a broken connection while a caller waits`() {
    #expect(isRepeated(.network(.lostAfterSending), .short, isIdempotent: true))
    #expect(!isRepeated(.network(.lostAfterSending), .short, isIdempotent: true, attempt: 2))
  }

  @Test func `a permanent refusal is never retried`() {
    let error = ErrorDictionary(code: .badRequest, reason: "R", uuid: "U")
    let failure = TransportFailure.refused(error, status: 400, retryAfterSeconds: nil)
    #expect(!isRepeated(failure, .long, isIdempotent: true))
  }

  @Test func `the delays before retries are random within limits`() {
    let policy = RetryPolicy(patience: .long, isIdempotent: true)
    let failure = TransportFailure.network(.notConnected)
    #expect(policy.delay(after: failure, attempt: 3, remaining: nil, chance: 0) == 1)
    #expect(policy.delay(after: failure, attempt: 3, remaining: nil, chance: 0.5) == 1.5)
    #expect(policy.delay(after: failure, attempt: 60, remaining: nil, chance: 0) == 30)
  }
}
