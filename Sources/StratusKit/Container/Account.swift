public import Foundation
import StratusTransport
import StratusWire
import Synchronization

extension Notification.Name {
  /// Posted when a container's account may have changed: somebody has signed in or out, or the
  /// server accepts it no more, or again. Ask for the account's status then.
  ///
  /// It is posted on an arbitrary queue, without an object, and only while there is a
  /// `CKContainer`.
  public static let CKAccountChanged = Notification.Name("CKAccountChangedNotification")
}

/// The account that a container's requests are made for, and who wants to hear when it changes.
///
/// While the server refuses it, the server is asked now and then whether it still does: an app that
/// asks nothing until it hears is not to wait for ever.
final class Account: Sendable {
  private struct State {
    /// How the server last refused it; nil: it did not.
    var refusal: CKError.Code?
    /// Asks whether it is accepted again, while it is refused.
    var asking: Task<Void, Never>?
    /// Whether it was set in code, and the credentials file has no say any more.
    var isSetInCode = false
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
  }

  private let connection: Connection?
  private let state = Mutex(State())

  /// - Parameter connection: nil: there is no container to be signed in to.
  init(of connection: Connection?) { self.connection = connection }

  deinit { state.withLock { $0.asking }?.cancel() }

  /// One element, or more, each time it may have changed.
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

  /// Uses other tokens from now on.
  ///
  /// - Parameters:
  ///   - signIn: stands for the sign-in that the user's token belongs to; nil: it is its first.
  ///   - isSetInCode: whether they are the app's, against which a file's do not count.
  ///   - forget: lets go of what is known of the account until now, before anybody hears.
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

  /// Takes in how the server answered.
  ///
  /// - Parameters:
  ///   - error: nil: it did what it was asked.
  ///   - generation: that of the connection when it was asked.
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
      // NB: under the lock that a sign-in takes, or an answer to the last account would be noted of
      // the next.
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

  /// Asks whether the account is accepted again: after a second or as long as the server wants, and
  /// then less and less often, once a minute in the end.
  ///
  /// NB: it holds the account only while it asks.
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

  /// Asks who the user is, and takes in the answer.
  ///
  /// - Returns: why it is not known that the account is accepted.
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
