import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// Sends the requests of a long-lived operation. If an earlier process completed a request, the
/// saved response is used. Other requests are sent, and their responses are saved. A request that
/// must not be sent twice fails if an earlier process ended before it received the response.
///
/// A resumed operation repeats the same requests in the same order. The app's callbacks are
/// therefore called again for the saved responses.
final class LongLivedSteps: Sendable {
  let saved: SavedOperation
  /// The user for whom an earlier process began the operation; nil if this process began it.
  private let owner: LongLivedOwner?
  private let hasOtherUser = Mutex(false)

  /// - Parameter owner: the user for whom an earlier process began the operation; nil if this
  ///   process begins it.
  init(_ saved: SavedOperation, resumedOf owner: LongLivedOwner? = nil) {
    self.saved = saved
    self.owner = owner
  }

  /// Whether an earlier process began the operation.
  var isResumed: Bool { owner != nil }

  /// Whether the operation may belong to another user. In that case, the saved operation stays on
  /// disk, unless it is cancelled.
  var isAnothers: Bool { hasOtherUser.withLock { $0 } }

  /// Checks that the operation belongs to the signed-in user. The check runs before any request, so
  /// that one user's operation is neither shown to another user nor run in another user's name.
  ///
  /// - Throws: `CKError.notAuthenticated` if another user is signed in; otherwise the reason why
  ///   the check failed.
  func requireSameUser(
    on path: RequestPath, options: Connection.Options
  ) async throws(CKError) {
    guard let owner else { return }
    do throws(CKError) {
      guard try await owner.isSignedIn(on: path, options: options) else {
        throw CKError.ofAnotherUser
      }
    } catch {
      hasOtherUser.withLock { $0 = true }
      throw error
    }
  }

  /// - Throws: an error if the sign-in has changed since the operation was resumed.
  private func requireSameSignIn(in database: DatabaseCalls) throws(CKError) {
    if database.path.connection?.generation == database.options.generation { return }
    hasOtherUser.withLock { $0 = true }
    throw CKError.ofAnotherUser
  }

  /// Keeps the operation on disk if the sign-in has changed since the operation began or was
  /// resumed. The present error is then not the operation's final result.
  func keepIfAnothers(on path: RequestPath, options: Connection.Options) {
    guard path.connection?.generation != options.generation else { return }
    hasOtherUser.withLock { $0 = true }
  }

  /// Returns the converter of user names for the user who began the operation.
  func naming(
    on path: RequestPath, options: Connection.Options
  ) async throws(CKError) -> UserNaming {
    if let name = saved.userRecordName {
      return path.naming(of: name.isEmpty ? nil : name)
    }
    let naming = try await path.naming(options: options)
    saved.keep(userRecordName: naming.currentUserRecordName ?? "")
    return naming
  }

  /// Returns the saved response to a request, or sends the request and saves its response.
  ///
  /// - Parameter name: identifies a step whose request may be different when it is repeated; nil if
  ///   the request itself identifies the step.
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
      // The earlier process ended before it received the response. The server may have carried out
      // the request, so it must not be sent again.
      if saved.hasBegun(step) { throw CKError(.serverResponseLost) }
      saved.begin(step)
    }
    let response: E.Response
    do throws(CKError) {
      response = try await database.live.send(endpoint, request, isIdempotent: isIdempotent)
    } catch {
      let mayBeDone = error.code == .serverResponseLost || error.code == .operationCancelled
      if !isIdempotent && !mayBeDone { saved.dropBegin(of: step) }
      // NB: this check is also needed here, because an operation may continue after a failed
      // request.
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
      .notAuthenticated, description: "another user began this operation")
  }
}

extension DatabaseCalls {
  /// The same calls without saved steps.
  var live: DatabaseCalls {
    var calls = self
    calls.steps = nil
    return calls
  }

  /// Whether an earlier process received the response to a step.
  func hasAnswer<E: Endpoint>(_ endpoint: E.Type, name: String) -> Bool {
    guard let steps, steps.isResumed else { return false }
    return steps.hasAnswer(endpoint, name: name)
  }
}
