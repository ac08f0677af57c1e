import StratusDomain

/// A write body that waits in the queue, together with its caller.
protocol WaitingWrite<Session>: AnyObject, Sendable {
  associatedtype Session

  /// The caller of the request, or nil if the body is the server's own work.
  var origin: WriteOrigin? { get }

  /// Runs the body. This method may be called again after the writes of the body were undone.
  ///
  /// - Returns: the error of the body, or nil if the body succeeded.
  func attempt(on session: Session) -> ServerError?

  /// Resumes the caller. This method is called once.
  ///
  /// - Parameter failure: the error for the caller. If it is nil, the caller gets the result of the
  ///   last attempt.
  func finish(failure: ServerError?)
}

/// A write body whose result has the type `Value`.
///
/// NB: this type is unchecked. The queue passes the body from the caller's thread to the writer's
/// thread, and no other thread uses the body.
final class WriteBody<Session, Value: Sendable>: WaitingWrite, @unchecked Sendable {
  typealias Continuation = CheckedContinuation<Result<Value, ServerError>, Never>

  let origin: WriteOrigin?
  private let body: @Sendable (Session) throws(ServerError) -> Value
  private let continuation: Continuation
  private var value: Value?

  init(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value,
    from origin: WriteOrigin?, continuation: Continuation
  ) {
    self.origin = origin
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
