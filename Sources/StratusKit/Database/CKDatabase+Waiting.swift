import Foundation
import Synchronization

extension CKDatabase {
  /// Runs an operation that somebody waits for, and cancels it when they stop.
  ///
  /// - Parameter make: makes the operation, which must call the given closure once, as its last.
  func outcome<Value: Sendable>(
    _ make: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> CKDatabaseOperation
  ) async throws -> Value {
    let running = Mutex<CKOperation?>(nil)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let operation = make { continuation.resume(with: $0) }
        running.withLock { $0 = operation }
        // NB: asked after the handler can find it; a task cancelled earlier has none to cancel.
        if Task.isCancelled { operation.cancel() }
        add(operation)
      }
    } onCancel: {
      running.withLock { $0 }?.cancel()
    }
  }
}

extension Result where Failure == any Error {
  /// Calls a completion handler of the Objective-C kind.
  func report(to completionHandler: (Success?, (any Error)?) -> Void) {
    switch self {
    case .success(let value): completionHandler(value, nil)
    case .failure(let error): completionHandler(nil, error)
    }
  }
}
