public import Foundation
import StratusTransport
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
final class Account: Sendable {
  private struct State {
    /// How the server last refused it; nil: it did not.
    var refusal: CKError.Code?
    /// Whether it was set in code, and the credentials file has no say any more.
    var isSetInCode = false
    var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    var nextListener = 0
  }

  private let connection: Connection?
  private let state = Mutex(State())

  /// - Parameter connection: nil: there is no container to be signed in to.
  init(of connection: Connection?) { self.connection = connection }

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
  ///   - isSetInCode: whether they are the app's, against which a file's do not count.
  ///   - forget: lets go of what is known of the account until now, before anybody hears.
  func adopt(
    apiToken: String?, webAuthToken: String?, isSetInCode: Bool, forget: () -> Void
  ) {
    guard let connection else { return }
    let isDue = state.withLock { state in
      guard isSetInCode || !state.isSetInCode else { return false }
      state.isSetInCode = isSetInCode
      state.refusal = nil
      connection.signIn(apiToken: apiToken, webAuthToken: webAuthToken)
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
    guard let connection, connection.hasUser, connection.generation == generation else { return }
    let hasChanged = state.withLock { state in
      defer { state.refusal = refusal }
      return state.refusal != refusal
    }
    if hasChanged { announce() }
  }

  private func announce() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    if CKContainer.isAnyAlive {
      NotificationCenter.default.post(name: .CKAccountChanged, object: nil)
    }
  }
}
