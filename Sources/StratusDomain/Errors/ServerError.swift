public import StratusWire

/// The error of a request, or of one item of a request.
///
/// Every error that an answer reports has this type. An error of a request is thrown. An error of
/// one item is a value in the results.
public struct ServerError: Error, Sendable, Hashable {
  public var code: ErrorCode
  /// A fixed sentence from ``Reason``, or a sentence that describes the error with the caller's own
  /// values. It never contains SQL text, a path, or another caller's data.
  public var reason: String
  /// Details that are written only to the log.
  public var facts: [String: String]
  /// The seconds after which a retry may succeed, or nil if the client should not retry.
  public var retryAfterSeconds: Int?
  /// Advice for the reader of the log.
  public var hint: String?
  /// Whether the zone was deleted because its keys were reset. It is used only with
  /// `ZONE_NOT_FOUND`.
  public var userDidResetEncryptedData = false
  /// The missing part of the production schema that caused the error.
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

  /// Creates an error for a fault of the server. The caller learns only that there was a fault.
  public static func fault(_ what: String, facts: [String: String] = [:]) -> ServerError {
    ServerError(
      .internalError, Reason.internalError, facts: facts.merging(["fault": what]) { $1 })
  }

  /// Creates an error for a write without enough free space. The client may repeat the request
  /// after 30 s.
  ///
  /// - Parameter disk: the disk that is full, for the log.
  public static func full(_ disk: String, facts: [String: String] = [:]) -> ServerError {
    ServerError(
      .tryAgainLater, Reason.storeFull,
      facts: facts.merging(["fault": "\(disk) is full"]) { $1 }, retryAfterSeconds: 30,
      hint: "free some space on \(disk)")
  }

  /// Creates an error for a malformed request.
  public static func badRequest(_ reason: String) -> ServerError {
    ServerError(.badRequest, reason)
  }

  /// Creates an error for a request that needs a part of the schema that production lacks.
  ///
  /// - Parameter environment: the store's environment. The error's ``lack`` is set only in
  ///   production.
  static func lacking(
    _ lack: ProductionLack, in environment: ContainerEnvironment, _ reason: String
  ) -> ServerError {
    var error = ServerError.badRequest(reason)
    if environment == .production { error.lack = lack }
    return error
  }

  public init(_ error: WireError) { self = .badRequest(error.reason) }
}
