import Foundation
import Synchronization

extension CKDatabase {
  /// Runs an operation and waits for its result. Cancelling the task cancels the operation.
  ///
  /// - Parameter make: makes the operation. The operation must call the given closure exactly once,
  ///   at its end.
  func outcome<Value: Sendable>(
    _ make: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> CKDatabaseOperation
  ) async throws -> Value {
    try await waiting(make) { add($0) }
  }
}

extension CKContainer {
  /// Runs an operation of the container; see ``CKDatabase/outcome(_:)``.
  func outcome<Value: Sendable>(
    _ make: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> CKOperation
  ) async throws -> Value {
    try await waiting(make) { add($0) }
  }
}

private func waiting<Value: Sendable, Work: CKOperation>(
  _ make: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Work, add: (Work) -> Void
) async throws -> Value {
  let running = Mutex<CKOperation?>(nil)
  return try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { continuation in
      let operation = make { continuation.resume(with: $0) }
      running.withLock { $0 = operation }
      // NB: the check comes only now, because the cancellation handler can find the operation only
      // from now on. If the task was cancelled earlier, the handler found no operation to cancel.
      if Task.isCancelled { operation.cancel() }
      add(operation)
    }
  } onCancel: {
    running.withLock { $0 }?.cancel()
  }
}

extension Result where Failure == any Error {
  /// Calls a completion handler in the Objective-C style.
  func report(to completionHandler: (Success?, (any Error)?) -> Void) {
    switch self {
    case .success(let value): completionHandler(value, nil)
    case .failure(let error): completionHandler(nil, error)
    }
  }
}
