import Foundation
import StratusTransport
import StratusWire

/// The requests of a long-lived operation: those that were answered before are answered from disk,
/// the others are sent, and what comes is written down.
///
/// An operation that is made again does again what it did, and so asks the same in the same order;
/// its blocks are called anew for what was answered before.
final class LongLivedSteps: Sendable {
  let saved: SavedOperation
  /// Whether an earlier process began it.
  let isResumed: Bool

  init(_ saved: SavedOperation, isResumed: Bool) {
    self.saved = saved
    self.isResumed = isResumed
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
    if isResumed, let bytes = saved.answer(to: step),
      let response = try? E.Response(jsonBytes: bytes)
    {
      return response
    }
    if isResumed { try await requireSameUser(in: database) }
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

  /// What one user began is not done in another's name.
  private func requireSameUser(in database: DatabaseCalls) async throws(CKError) {
    guard let name = saved.userRecordName else { return }
    let naming = try await database.path.naming(options: database.options)
    guard (naming.currentUserRecordName ?? "").isIdentical(to: name) else {
      throw CKError(
        .notAuthenticated, description: "another user is signed in than the one who began this")
    }
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
