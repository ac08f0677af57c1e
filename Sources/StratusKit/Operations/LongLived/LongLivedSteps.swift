import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// The requests of a long-lived operation: those that were answered before are answered from disk,
/// the others are sent, and what comes is written down.
///
/// An operation that is made again does again what it did, and so asks the same in the same order;
/// its blocks are called anew for what was answered before.
final class LongLivedSteps: Sendable {
  let saved: SavedOperation
  /// Who began it in an earlier process; nil: this process did.
  private let owner: LongLivedOwner?
  private let hasStranger = Mutex(false)

  /// - Parameter owner: who began it in an earlier process; nil: this process does.
  init(_ saved: SavedOperation, resumedOf owner: LongLivedOwner? = nil) {
    self.saved = saved
    self.owner = owner
  }

  /// Whether an earlier process began it.
  var isResumed: Bool { owner != nil }

  /// Whether it is not known to be the user's who is signed in: it stays on disk as it was.
  var isAnothers: Bool { hasStranger.withLock { $0 } }

  /// What one user began is neither told to another nor done in another's name: called before
  /// anything is.
  ///
  /// - Throws: `CKError.notAuthenticated` where another is signed in; why it cannot be told.
  func requireSameUser(
    on path: RequestPath, options: Connection.Options
  ) async throws(CKError) {
    guard let owner else { return }
    do throws(CKError) {
      guard try await owner.isSignedIn(on: path, options: options) else {
        throw CKError.ofAnotherUser
      }
    } catch {
      hasStranger.withLock { $0 = true }
      throw error
    }
  }

  /// - Throws: where somebody has signed in since the user was looked at.
  private func requireSameSignIn(in database: DatabaseCalls) throws(CKError) {
    if database.path.connection?.generation == database.options.generation { return }
    hasStranger.withLock { $0 = true }
    throw CKError.ofAnotherUser
  }

  /// Leaves it on disk for its user where somebody has signed in since it was begun, or gone on
  /// with: what it failed with then is not its end.
  func keepIfAnothers(on path: RequestPath, options: Connection.Options) {
    guard path.connection?.generation != options.generation else { return }
    hasStranger.withLock { $0 = true }
  }

  /// How the user is called who began it.
  func naming(
    on path: RequestPath, options: Connection.Options
  ) async throws(CKError) -> UserNaming {
    if let name = saved.userRecordName {
      return UserNaming(currentUserRecordName: name.isEmpty ? nil : name)
    }
    let naming = try await path.naming(options: options)
    saved.keep(userRecordName: naming.currentUserRecordName ?? "")
    return naming
  }

  /// - Parameter name: tells the steps of an endpoint apart that may have to be the same however
  ///   their requests differ; nil: the request does.
  func answer<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, isIdempotent: Bool, name: String?,
    in database: DatabaseCalls
  ) async throws(CKError) -> E.Response {
    let step = Self.step(endpoint, name: name ?? String(decoding: request.jsonBytes, as: UTF8.self))
    if isResumed {
      try requireSameSignIn(in: database)
      if let bytes = saved.answer(to: step), let response = try? E.Response(jsonBytes: bytes) {
        return response
      }
    }
    if !isIdempotent {
      // Who asked died before the answer came: it may be done, and must not be done again.
      if saved.hasBegun(step) { throw CKError(.serverResponseLost) }
      saved.begin(step)
    }
    let response: E.Response
    do throws(CKError) {
      response = try await database.live.send(endpoint, request, isIdempotent: isIdempotent)
    } catch {
      let mayBeDone = error.code == .serverResponseLost || error.code == .operationCancelled
      if !isIdempotent && !mayBeDone { saved.dropBegin(of: step) }
      // NB: here, too, since an operation may go on without what it could not get.
      keepIfAnothers(on: database.path, options: database.options)
      throw error
    }
    saved.keep(answer: response.jsonBytes, to: step)
    return response
  }

  func hasAnswer<E: Endpoint>(_ endpoint: E.Type, name: String) -> Bool {
    saved.answer(to: Self.step(endpoint, name: name)) != nil
  }

  private static func step<E: Endpoint>(_ endpoint: E.Type, name: String) -> String {
    "\(E.path) \(name)"
  }
}

extension CKError {
  fileprivate static var ofAnotherUser: CKError {
    CKError(
      .notAuthenticated, description: "another user is signed in than the one who began this")
  }
}

extension DatabaseCalls {
  /// The same without anything written down.
  var live: DatabaseCalls {
    var calls = self
    calls.steps = nil
    return calls
  }

  /// Whether a step was answered in an earlier process.
  func hasAnswer<E: Endpoint>(_ endpoint: E.Type, name: String) -> Bool {
    guard let steps, steps.isResumed else { return false }
    return steps.hasAnswer(endpoint, name: name)
  }
}
