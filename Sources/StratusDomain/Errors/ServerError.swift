public import StratusWire

/// Why a request, or one item of it, was refused.
///
/// The one error type of the server. What concerns the request is thrown; what concerns one item is
/// a value in the results.
public struct ServerError: Error, Sendable, Hashable {
  public var code: ErrorCode
  /// A fixed sentence from ``Reason``, or one that names what is wrong in the caller's own words.
  /// Never SQL text, a path, or another caller's data.
  public var reason: String
  /// For the log only.
  public var facts: [String: String]
  /// Seconds after which a repetition may succeed; nil: do not repeat.
  public var retryAfterSeconds: Int?
  /// What to do about it, for the one who reads the log.
  public var hint: String?
  /// Only with `ZONE_NOT_FOUND`: whether the zone went with its keys.
  public var userDidResetEncryptedData = false

  public init(
    _ code: ErrorCode, _ reason: String, facts: [String: String] = [:],
    retryAfterSeconds: Int? = nil, hint: String? = nil
  ) {
    self.code = code
    self.reason = reason
    self.facts = facts
    self.retryAfterSeconds = retryAfterSeconds
    self.hint = hint
  }

  /// A fault of ours: the caller learns only that there was one.
  public static func fault(_ what: String, facts: [String: String] = [:]) -> ServerError {
    ServerError(
      .internalError, Reason.internalError, facts: facts.merging(["fault": what]) { $1 })
  }

  /// A request that has not the form it must have.
  public static func badRequest(_ reason: String) -> ServerError {
    ServerError(.badRequest, reason)
  }

  public init(_ error: WireError) { self = .badRequest(error.reason) }
}
