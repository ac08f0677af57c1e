import Synchronization

/// The answer to a request, which may not have come yet.
final class SyncAnswer<Value: Sendable>: Sendable {
  private struct State {
    var result: Result<Value, CKError>?
    var task: Task<Void, Never>?
  }

  private let state = Mutex(State())

  init() {}

  /// An answer that has come already.
  init(_ result: Result<Value, CKError>) { state.withLock { $0.result = result } }

  func set(_ result: Result<Value, CKError>) { state.withLock { $0.result = result } }

  var isSet: Bool { state.withLock { $0.result != nil } }

  /// The task that will set it.
  func wait(for task: Task<Void, Never>) { state.withLock { $0.task = task } }

  /// The answer; waits until it has come.
  var result: Result<Value, CKError> {
    get async {
      let known = state.withLock { $0 }
      if let result = known.result { return result }
      await known.task?.value
      return state.withLock { $0.result } ?? .failure(CKError(.operationCancelled))
    }
  }
}
