import Synchronization

/// The response to a request. The response may not have arrived yet.
final class SyncAnswer<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, CKError>?
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())

  init() {}

  /// Makes a response that is already complete.
  init(_ result: Result<Value, CKError>) { state.withLock { $0.result = result } }

  func set(_ result: Result<Value, CKError>) { state.withLock { $0.result = result } }

  var isSet: Bool { state.withLock { $0.result != nil } }

  /// Sets the task that will provide the response.
  func wait(for task: Task<Void, Never>) { state.withLock { $0.task = task } }

  /// The response. The getter waits until the response is complete.
  var result: Result<Value, CKError> {
    get async {
      let known = state.withLock { $0 }
      if let result = known.result { return result }
      await known.task?.value
      return state.withLock { $0.result } ?? .failure(CKError(.operationCancelled))
    }
  }
}
