public import Foundation
import StratusTransport
import StratusWire
import Synchronization

extension Notification.Name {
  /// Posted when a container's account may have changed: a user has signed in or out, or the server
  /// has started or stopped rejecting the account. Check the account's status after this
  /// notification.
  ///
  /// It is posted on an arbitrary queue, without an object, and only while the process has a
  /// `CKContainer`.
  public static let CKAccountChanged = Notification.Name("CKAccountChangedNotification")
}

/// The account in whose name a container sends its requests. Listeners are notified when the
/// account changes.
///
/// While the server rejects the account, this class asks repeatedly whether the server accepts the
/// account again. Otherwise an app that sends no requests until the next ``CKAccountChanged`` would
/// wait indefinitely.
final class Account: Sendable {
  private struct State {
    /// The server's last rejection; nil if the server has not rejected the account since the last
    /// accepted request.
    var refusal: CKError.Code?
    /// Checks repeatedly whether the server accepts a rejected account again.
    var asking: Task<Void, Never>?
    /// Whether the app has set the account in code. In that case, the credentials file is ignored.
    var isSetInCode = false
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
  }

  private let connection: Connection?
  private let state = Mutex(State())

  /// - Parameter connection: the connection to the server; nil if there is no container to sign in
  ///   to.
  init(of connection: Connection?) { self.connection = connection }

  deinit { state.withLock { $0.asking }?.cancel() }

  /// Returns a stream with an element after each possible change of the account. One element may
  /// stand for several changes.
  func changes() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let listener = state.withLock { state in
      defer { state.nextListener += 1 }
      state.listeners[state.nextListener] = continuation
      return state.nextListener
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.listeners.removeValue(forKey: listener) }
    }
    return stream
  }

  /// Replaces the tokens with which requests are sent.
  ///
  /// - Parameters:
  ///   - signIn: the ID of the user's sign-in if the server has renewed the token since that
  ///     sign-in; nil if the token comes directly from a new sign-in.
  ///   - isSetInCode: whether the app sets the tokens. In that case, the credentials file is
  ///     ignored from now on.
  ///   - forget: discards the data of the previous account before listeners are notified.
  func adopt(
    apiToken: String?, webAuthToken: String?, signIn: String?, isSetInCode: Bool,
    forget: () -> Void
  ) {
    guard let connection else { return }
    let isDue = state.withLock { state in
      guard isSetInCode || !state.isSetInCode else { return false }
      state.isSetInCode = isSetInCode
      state.refusal = nil
      state.asking?.cancel()
      state.asking = nil
      connection.signIn(apiToken: apiToken, webAuthToken: webAuthToken, signIn: signIn)
      return true
    }
    guard isDue else { return }
    forget()
    announce()
  }

  /// Updates the account's state with the result of a request.
  ///
  /// - Parameters:
  ///   - error: the error of the request; nil if the request succeeded.
  ///   - generation: the connection's generation when the request was sent.
  func note(_ error: CKError?, of generation: Int) {
    let refusal: CKError.Code?
    switch error?.code {
    case nil: refusal = nil
    case .notAuthenticated?, .managedAccountRestricted?, .accountTemporarilyUnavailable?:
      refusal = error?.code
    default: return
    }
    guard let connection, connection.hasUser else { return }
    let hasChanged = state.withLock { state in
      // NB: the generation is checked under the lock that a sign-in takes. Otherwise a response for
      // the previous account could be stored for the next account.
      guard connection.generation == generation else { return false }
      defer { state.refusal = refusal }
      if refusal == nil {
        state.asking?.cancel()
        state.asking = nil
      } else if state.asking == nil {
        state.asking = keepAsking(
          connection.timing, in: generation, firstAfter: error?.retryAfterSeconds)
      }
      return state.refusal != refusal
    }
    if hasChanged { announce() }
  }

  /// Asks repeatedly whether the server accepts the account again. The first delay is at most a
  /// second, unless the server requests a longer delay. Later delays grow up to one minute.
  ///
  /// NB: the task has a reference to this object only during a request, so that the object can be
  /// released during a delay.
  private func keepAsking(
    _ timing: Timing, in generation: Int, firstAfter seconds: Double?
  ) -> Task<Void, Never> {
    Task { [weak self] in
      var (failures, asked) = (1, seconds)
      while !Task.isCancelled {
        failures += 1
        let delay = NotificationStream.delay(
          failures: failures, chance: timing.chance(), asked: asked)
        do { try await timing.sleep(delay) } catch { return }
        guard let error = await self?.ask(in: generation) else { return }
        asked = error.retryAfterSeconds
      }
    }
  }

  /// Asks the server for the user, and updates the account's state.
  ///
  /// - Returns: the request's error if the server must be asked again; nil if the server accepts
  ///   the account, or if another account has signed in.
  private func ask(in generation: Int) async -> CKError? {
    guard let connection, connection.generation == generation else { return nil }
    let failure: CKError?
    do throws(TransportFailure) {
      _ = try await connection.send(
        FetchCaller.self, EmptyRequest(), to: .public, isIdempotent: true,
        options: Connection.Options(generation: generation))
      failure = nil
    } catch {
      failure = CKError(error, isIdempotent: true)
    }
    note(failure, of: generation)
    return failure
  }

  private func announce() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    if CKContainer.isAnyAlive {
      NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }
  }
}
