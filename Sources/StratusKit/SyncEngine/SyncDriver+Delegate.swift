import Synchronization

/// Calls the app's delegate, and sends requests to the server.
extension SyncDriver {
  /// Reports the newest state to the delegate, unless the delegate already has it.
  func reportState() async {
    while true {
      let (revision, serialization) = state.with {
        ($0.revision, CKSyncEngine.State.Serialization($0))
      }
      let isNew = core.withLock { core in
        defer { core.reportedRevision = revision }
        return !core.isStopped && core.reportedRevision != revision
      }
      guard isNew else { return }
      await call { delegate, engine in
        await delegate.handleEvent(
          .stateUpdate(.init(stateSerialization: serialization)), syncEngine: engine)
      }
    }
  }

  /// Reports an event to the delegate, after the newest state.
  ///
  /// - Parameter settle: changes the state just before the event, for example removes the changes
  ///   that were sent. The app has stored the state from before `settle`. If the app ends before it
  ///   has handled the event, the next engine therefore repeats the work. Changes that the delegate
  ///   makes during the event are applied after `settle`.
  func deliver(
    _ event: CKSyncEngine.Event, settle: @Sendable (inout SyncState) -> Void = { _ in }
  ) async {
    await reportState()
    if core.withLock({ $0.isStopped }) { return }
    state.with(settle)
    await call { delegate, engine in
      await delegate.handleEvent(event, syncEngine: engine)
    }
  }

  /// Calls the delegate.
  ///
  /// - Returns: nil if the engine has been released.
  @discardableResult
  func call<Answer: Sendable>(
    _ body: @Sendable (any CKSyncEngineDelegate, CKSyncEngine) async -> Answer
  ) async -> Answer? {
    let call = DelegateCall(by: self)
    defer { call.end() }
    let engine = core.withLock { core in
      core.call = call
      return core.isStopped ? nil : core.engine
    }
    guard let engine else { return nil }
    return await DelegateCall.$current.withValue(call) {
      await body(configuration.delegate, engine)
    }
  }

  /// Sends a request in a separate task.
  func request<Value: Sendable>(
    _ body: @escaping @Sendable () async throws(CKError) -> Value
  ) -> SyncAnswer<Value> {
    let id = core.withLock { core -> Int? in
      core.isStopped || core.isCancelled ? nil : core.newID()
    }
    guard let id else { return SyncAnswer(.failure(CKError(.operationCancelled))) }
    let answer = SyncAnswer<Value>()
    let task = surroundings.spawn { [weak self] in
      do throws(CKError) {
        answer.set(.success(try await body()))
      } catch {
        answer.set(.failure(error))
      }
      self?.core.withLock { $0.requests.removeAll { $0.id == id } }
    }
    answer.wait(for: task)
    let isTooLate = core.withLock { core in
      if core.isStopped || core.isCancelled { return true }
      if !answer.isSet { core.requests.append((id, task)) }
      return false
    }
    if isTooLate { task.cancel() }
    return answer
  }
}
