import Foundation
import StratusTransport
import StratusWire

/// Converts server errors and transport failures into Apple's error codes.
extension CKError {
  /// Makes an error that the framework itself has detected, with the standard description of its
  /// code.
  ///
  /// NB: within the framework `CKError(.unknownItem)` calls this initialiser. The public
  /// initialiser makes errors without a description.
  init(_ code: CKError.Code) { self.init(code, description: code.sentence) }

  /// Makes an error that the framework itself has detected, with a sentence that describes the
  /// problem.
  init(_ code: CKError.Code, description: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: description])
  }

  /// Converts the server's error for a whole request or for one item.
  ///
  /// - Parameter retryAfterSeconds: the delay before a retry if the response states it outside the
  ///   error dictionary; otherwise nil.
  init(_ error: ErrorDictionary, retryAfterSeconds: Double? = nil) {
    self.init(Code(error), userInfo: Self.userInfo(error, retryAfterSeconds: retryAfterSeconds))
  }

  /// Converts the server's error for a record that was to be saved. In a conflict, the error
  /// contains three versions of the record: the client's, the server's, and their ancestor.
  ///
  /// - Parameter client: the record that was to be saved.
  init(_ failure: RecordFailure, saving client: CKRecord, naming: UserNaming) {
    var userInfo = Self.userInfo(failure.error, retryAfterSeconds: nil)
    let code = Code(failure.error)
    if code == .serverRecordChanged {
      userInfo[CKRecordChangedErrorClientRecordKey] = client
      userInfo[CKRecordChangedErrorAncestorRecordKey] = client.ancestor
      userInfo[CKRecordChangedErrorServerRecordKey] =
        failure.serverRecord.flatMap { try? RecordFactory.record(wire: $0, naming: naming) }
    }
    self.init(code, userInfo: userInfo)
  }

  /// Converts a transport failure.
  ///
  /// - Parameters:
  ///   - isIdempotent: whether the request can be repeated safely. In that case, it does not matter
  ///     whether the server has carried out the request.
  ///   - url: the server's URL, for the description.
  init(_ failure: TransportFailure, isIdempotent: Bool, url: String? = nil) {
    switch failure {
    case .refused(let error, _, let seconds):
      self.init(error, retryAfterSeconds: seconds)
    case .unreadable(let status, let reason, let seconds):
      var userInfo: [String: Any] = [
        NSLocalizedDescriptionKey: "unreadable answer, HTTP status \(status): \(reason)"
      ]
      userInfo[CKErrorRetryAfterKey] = seconds.map { NSNumber(value: $0) }
      self.init(Code(httpStatus: status), userInfo: userInfo)
    case .network(let failure):
      self.init(
        Code(failure, isIdempotent: isIdempotent),
        description: failure.description(of: url.map { "the server at \($0)" } ?? "the server"))
    case .accountChanged:
      self.init(
        .notAuthenticated, description: "another account has signed in since the request began")
    }
  }

  /// Adds advice for the user if the error means that the server rejects the caller.
  ///
  /// - Parameter hasUser: whether the request was made in a user's name.
  func explained(hasUser: Bool) -> CKError {
    guard code == .notAuthenticated, let reason = userInfo["ServerErrorDescription"] else {
      return self
    }
    var userInfo = userInfo
    userInfo[NSLocalizedDescriptionKey] =
      (hasUser ? Self.endedSignIn : code.sentence) + " The server says: \(reason)"
    return CKError(code, userInfo: userInfo)
  }

  /// The error of a request that needs a user, if no user is signed in.
  static var notSignedIn: CKError { CKError(.notAuthenticated) }

  private static let endedSignIn =
    "The sign-in is not accepted, or it has ended. Set STRATUS_API_TOKEN, and set "
    + "STRATUS_WEB_AUTH_TOKEN to a new token."

  /// Converts the failure of an attempt to get keys for encrypted values.
  ///
  /// Choice: the code is `notAuthenticated` if only another device has the key. Apple's framework
  /// uses that code for a device that is not completely signed in.
  init(_ failure: KeyFailure) {
    switch failure {
    case .transport(let failure):
      let error = CKError(failure, isIdempotent: true)
      // NB: if the user's keys are reset during every attempt to get them, the last error is a
      // conflict. It must not become `serverRecordChanged`, because an error with that code
      // contains three versions of a record.
      self =
        error.code == .serverRecordChanged
        ? CKError(.serviceUnavailable, userInfo: error.userInfo) : error
    case .missing:
      self.init(
        .notAuthenticated,
        userInfo: [
          NSLocalizedDescriptionKey: "this device lacks the key of the account's encrypted values; "
            + "run 'stratus keys export' on another device and 'stratus keys import' on this one; "
            + "in a zone that another user shares, open the complete URL of the share again",
          NSUnderlyingErrorKey: failure,
        ])
    case .notHere(let reason): self.init(.invalidArguments, description: reason)
    case .unusable(let reason): self.init(.internalError, description: reason)
    }
  }

  private static func userInfo(
    _ error: ErrorDictionary, retryAfterSeconds: Double?
  ) -> [String: Any] {
    let reason = error.reason.isEmpty ? Code(error).sentence : error.reason
    var userInfo: [String: Any] = [
      NSLocalizedDescriptionKey: reason, "ServerErrorDescription": reason,
    ]
    if !error.uuid.isEmpty { userInfo["RequestUUID"] = error.uuid }
    if error.userDidResetEncryptedData {
      userInfo[CKErrorUserDidResetEncryptedDataKey] = NSNumber(value: true)
    }
    let seconds = retryAfterSeconds ?? error.retryAfterSeconds.map(Double.init)
    userInfo[CKErrorRetryAfterKey] = seconds.map { NSNumber(value: $0) }
    return userInfo
  }
}

extension CKError.Code {
  /// Returns the code for a server's error. If the error contains one of the framework's codes,
  /// that code is used. Otherwise the error's reason determines the code if `byReason` lists the
  /// reason. If it does not, the server's own code determines the result.
  init(_ error: ErrorDictionary) {
    if let code = error.nativeCode.flatMap(Self.init(rawValue:)) {
      self = code
      return
    }
    self = Self.byReason[error.reason] ?? Self(error.code)
    // If the schema does not have the queried record type, the reason contains the type's name.
    // Only the beginning of the reason is compared.
    if error.code == .badRequest, error.reason.hasPrefix(Reason.recordTypeNotFound) {
      self = .unknownItem
    }
  }

  private static let byReason: [String: CKError.Code] = [
    Reason.accountDisabled: .managedAccountRestricted,
    Reason.accountRestricted: .managedAccountRestricted,
    Reason.ancestorShared: .alreadyShared,
    Reason.answerTooLarge: .limitExceeded,
    Reason.atomicError: .batchRequestFailed,
    Reason.batchTooLarge: .limitExceeded,
    Reason.batchTooManyBytes: .limitExceeded,
    Reason.batchTooMuchWork: .limitExceeded,
    Reason.changesInDefaultZone: .invalidArguments,
    Reason.conflict: .serverRecordChanged,
    Reason.containerNameIllegal: .badContainer,
    Reason.containerNotFound: .badContainer,
    Reason.customZoneInPublic: .badDatabase,
    Reason.descendantShared: .alreadyShared,
    Reason.endpointInPrivate: .badDatabase,
    Reason.endpointInPublic: .badDatabase,
    Reason.endpointInShared: .badDatabase,
    Reason.participantAlreadyInvited: .participantAlreadyInvited,
    Reason.participantMayNeedVerification: .participantMayNeedVerification,
    Reason.recordAlreadyShared: .alreadyShared,
    Reason.recordExists: .serverRecordChanged,
    Reason.recordNotFound: .unknownItem,
    Reason.recordTooLarge: .limitExceeded,
    Reason.recordTooManyEntries: .limitExceeded,
    Reason.requestTooLarge: .limitExceeded,
    Reason.sessionEnded: .accountTemporarilyUnavailable,
    Reason.shareNeedsCustomZone: .badDatabase,
    Reason.shareNotFound: .unknownItem,
    // NB: the request names a root that cannot be shared, so the request is wrong whatever the
    // server's own code is.
    Reason.shareRootMissing: .invalidArguments,
    Reason.syncTokenExpired: .changeTokenExpired,
    // NB: invalid tokens (an app's old tokens, or Apple's) need the same remedy as expired tokens.
    Reason.syncTokenInvalid: .changeTokenExpired,
    Reason.tooManyAccessRequests: .limitExceeded,
    Reason.tooManyBlocked: .limitExceeded,
    Reason.tooManyJoinedShares: .limitExceeded,
    Reason.tooManyParticipants: .tooManyParticipants,
    Reason.tooManyShares: .limitExceeded,
    Reason.zoneAlreadyShared: .serverRejectedRequest,
    Reason.zoneBusy: .zoneBusy,
    Reason.zoneNotFound: .zoneNotFound,
  ]

  private init(_ code: ErrorCode) {
    self =
      switch code {
      case .accessDenied: .permissionFailure
      case .atomicError: .batchRequestFailed
      case .authenticationFailed, .authenticationRequired: .notAuthenticated
      case .badRequest: .invalidArguments
      case .conflict, .exists: .serverRecordChanged
      case .internalError: .internalError
      case .notFound: .unknownItem
      case .quotaExceeded: .quotaExceeded
      case .throttled: .requestRateLimited
      case .tryAgainLater: .serviceUnavailable
      case .validatingReferenceError: .referenceViolation
      case .zoneNotFound: .zoneNotFound
      }
  }

  /// The code of a response without an error dictionary, for example from a proxy.
  init(httpStatus: Int) {
    self =
      switch httpStatus {
      case 300..<400: .serverRejectedRequest
      case 401, 421: .notAuthenticated
      case 403: .permissionFailure
      case 413: .limitExceeded
      case 429: .requestRateLimited
      case 502, 503, 504: .serviceUnavailable
      case 400..<500: .serverRejectedRequest
      default: .internalError
      }
  }

  init(_ failure: NetworkFailure, isIdempotent: Bool) {
    self =
      switch failure {
      case .notConnected: .networkUnavailable
      case .lostBeforeSending: .networkFailure
      case .lostAfterSending: isIdempotent ? .networkFailure : .serverResponseLost
      case .timedOut: .networkFailure
      case .cancelled: .operationCancelled
      }
  }
}

extension NetworkFailure {
  /// A sentence for the user.
  fileprivate func description(of server: String) -> String {
    switch self {
    case .notConnected: "this machine has no network connection to \(server)"
    case .lostBeforeSending: "\(server) cannot be reached"
    case .lostAfterSending: "the connection to \(server) was lost before the response arrived"
    case .timedOut: "\(server) did not answer in time"
    case .cancelled: "the request was cancelled before \(server) answered"
    }
  }
}
