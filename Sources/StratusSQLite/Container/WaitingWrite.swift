import StratusDomain

/// A write body that waits for its turn, and the caller who waits for it.
protocol WaitingWrite<Session>: AnyObject, Sendable {
  associatedtype Session

  /// Runs the body; may be called again after what it wrote was undone.
  ///
  /// - Returns: what the body threw.
  func attempt(on session: Session) -> ServerError?

  /// Lets the caller go on, once.
  ///
  /// - Parameter failure: nil: what the last attempt returned is kept.
  func finish(failure: ServerError?)
}

/// A write body with a value of one type.
///
/// NB: unchecked; the queue hands it from the caller's thread to the writer's, and nobody else has
/// it.
final class WriteBody<Session, Value: Sendable>: WaitingWrite, @unchecked Sendable {
  typealias Continuation = CheckedContinuation<Result<Value, ServerError>, Never>

  private let body: @Sendable (Session) throws(ServerError) -> Value
  private let continuation: Continuation
  private var value: Value?

  init(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value,
    continuation: Continuation
  ) {
    self.body = body
    self.continuation = continuation
  }

  func attempt(on session: Session) -> ServerError? {
    value = nil
    do throws(ServerError) {
      value = try body(session)
      return nil
    } catch {
      return error
    }
  }

  func finish(failure: ServerError?) {
    if let failure {
      continuation.resume(returning: .failure(failure))
    } else if let value {
      continuation.resume(returning: .success(value))
    } else {
      continuation.resume(returning: .failure(.fault("a write body was never run")))
    }
  }
}
