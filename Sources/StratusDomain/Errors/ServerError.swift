public import StratusWire

/// The error of a request, or of one item of it.
///
/// It is the only error type of the server. Errors of the request are thrown. Errors of one item
/// are values in the results.
public struct ServerError: Error, Sendable, Hashable {
  public var code: ErrorCode
  /// A fixed sentence from ``Reason``, or a sentence that describes the error with the caller's own
  /// values. It never contains SQL text, a path, or another caller's data.
  public var reason: String
  /// For the log only.
  public var facts: [String: String]
  /// The seconds after which a retry may succeed; nil: do not retry.
  public var retryAfterSeconds: Int?
  /// Advice for the reader of the log.
  public var hint: String?
  /// Only with `ZONE_NOT_FOUND`: whether the zone was deleted because its keys were reset.
  public var userDidResetEncryptedData = false
  /// The part of the schema whose lack in production caused the error.
  public var lack: ProductionLack?

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

  /// A fault of the server. The caller only learns that there was one.
  public static func fault(_ what: String, facts: [String: String] = [:]) -> ServerError {
    ServerError(
      .internalError, Reason.internalError, facts: facts.merging(["fault": what]) { $1 })
  }

  /// A request that is malformed.
  public static func badRequest(_ reason: String) -> ServerError {
    ServerError(.badRequest, reason)
  }

  /// A request that needs a part of the schema that production lacks.
  ///
  /// - Parameter environment: outside production, the error does not carry the lack.
  static func lacking(
    _ lack: ProductionLack, in environment: ContainerEnvironment, _ reason: String
  ) -> ServerError {
    var error = ServerError.badRequest(reason)
    if environment == .production { error.lack = lack }
    return error
  }

  public init(_ error: WireError) { self = .badRequest(error.reason) }
}
