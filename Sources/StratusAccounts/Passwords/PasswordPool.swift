import Foundation
import StratusDomain
import StratusWire
import Synchronization

/// Runs password hashes on threads of their own with a low priority, a few at a time, so that they
/// do not delay requests for data.
///
/// Some callers are *in front*, for example those with a browser that has signed in before. They
/// wait only for hashes that already run and for each other, and a part of the queue is reserved
/// for them.
final class PasswordPool: Sendable {
  private struct Waiting {
    let id: Int
    let continuation: CheckedContinuation<Entry, Never>
  }

  private struct State {
    var running = 0
    var inFront: [Waiting] = []
    var others: [Waiting] = []
    var count = 0
    var nextID = 0
    /// The IDs of callers whose task was cancelled before they began to wait.
    var left: Set<Int> = []
  }

  private enum Entry { case granted, refused }

  private let runningMax: Int
  private let waitingMax: Int
  private let frontMax: Int
  private let state = Mutex(State())

  /// - Parameters:
  ///   - runningMax: the maximum number of hashes that run at one time.
  ///   - waitingMax: the maximum number of callers that wait. A quarter of this number is reserved
  ///     for callers in front.
  init(runningMax: Int, waitingMax: Int = Limits.passwordsWaitingMax) {
    self.runningMax = max(1, runningMax)
    frontMax = waitingMax / 4
    self.waitingMax = waitingMax - waitingMax / 4
  }

  /// The number of hashes so far, for tests.
  var count: Int { state.withLock { $0.count } }

  /// The number of callers that wait, for tests.
  var waitingCount: Int { state.withLock { $0.inFront.count + $0.others.count } }

  /// Runs one hash.
  ///
  /// - Parameter inFront: whether the caller goes before others.
  /// - Throws: `TRY_AGAIN_LATER` if too many callers wait, or if the task is cancelled while it
  ///   waits; errors of the hash.
  func run<Value: Sendable>(
    inFront: Bool = false, _ work: @escaping @Sendable () throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    try await enter(inFront)
    defer { leave() }
    let result: Result<Value, ServerError> = await withCheckedContinuation { continuation in
      // NB: each hash has a new thread, because a thread cannot raise its priority again. A hash
      // takes thousands of times as long as the start of a thread.
      let thread = Thread {
        Thread.current.name = "stratus-password"
        Thread.lowerPriority()
        continuation.resume(
          returning: Result { () throws(ServerError) in try work() })
      }
      thread.start()
    }
    return try result.get()
  }

  private func enter(_ inFront: Bool) async throws(ServerError) {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    let entry = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let entry = state.withLock { state in
          admit(Waiting(id: id, continuation: continuation), inFront, &state)
        }
        if let entry { continuation.resume(returning: entry) }
      }
    } onCancel: {
      forget(id)
    }
    state.withLock { _ = $0.left.remove(id) }
    if entry == .refused {
      throw ServerError(.tryAgainLater, Reason.passwordsBusy, retryAfterSeconds: 10)
    }
  }

  /// - Returns: the decision, or nil if the caller must wait.
  private func admit(_ caller: Waiting, _ inFront: Bool, _ state: inout State) -> Entry? {
    if state.left.contains(caller.id) { return .refused }
    if state.running < runningMax {
      state.running += 1
      state.count += 1
      return .granted
    }
    if inFront {
      guard state.inFront.count < frontMax else { return .refused }
      state.inFront.append(caller)
    } else {
      guard state.others.count < waitingMax else { return .refused }
      state.others.append(caller)
    }
    return nil
  }

  /// Removes a caller whose task was cancelled.
  private func forget(_ id: Int) {
    let caller = state.withLock { state -> Waiting? in
      if let index = state.inFront.firstIndex(where: { $0.id == id }) {
        return state.inFront.remove(at: index)
      }
      if let index = state.others.firstIndex(where: { $0.id == id }) {
        return state.others.remove(at: index)
      }
      state.left.insert(id)
      return nil
    }
    caller?.continuation.resume(returning: .refused)
  }

  /// Lets the next waiting caller in: the first of `inFront`, or the first of `others` if no caller
  /// waits in front.
  private func leave() {
    let next = state.withLock { state -> Waiting? in
      if !state.inFront.isEmpty || !state.others.isEmpty {
        state.count += 1
        return state.inFront.isEmpty ? state.others.removeFirst() : state.inFront.removeFirst()
      }
      state.running -= 1
      return nil
    }
    next?.continuation.resume(returning: .granted)
  }
}
