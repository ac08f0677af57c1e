import Foundation
import StratusTransport
import StratusWire

extension CKError {
  /// Whether the engine keeps a change pending after this error, and retries the change.
  ///
  /// Choice: this includes `serverResponseLost`, because the server may not have carried out the
  /// change. At worst, the repeated change conflicts with its first attempt. It also includes
  /// `operationCancelled`, because the server has not rejected the change.
  var isRetriedByEngine: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable, .networkFailure, .networkUnavailable,
      .requestRateLimited, .serviceUnavailable, .zoneBusy, .serverResponseLost,
      .operationCancelled:
      true
    case .internalError, .partialFailure, .badContainer, .missingEntitlement, .permissionFailure,
      .unknownItem, .invalidArguments, .resultsTruncated, .serverRecordChanged,
      .serverRejectedRequest, .assetFileNotFound, .assetFileModified, .incompatibleVersion,
      .constraintViolation, .changeTokenExpired, .batchRequestFailed, .badDatabase,
      .quotaExceeded, .zoneNotFound, .limitExceeded, .userDeletedZone, .tooManyParticipants,
      .alreadyShared, .referenceViolation, .managedAccountRestricted,
      .participantMayNeedVerification, .assetNotAvailable, .participantAlreadyInvited:
      false
    }
  }

  /// Whether a later attempt may succeed.
  ///
  /// All failures count as temporary, except the use of a wrong container or database.
  var mayPass: Bool {
    switch code {
    case .badContainer, .badDatabase: false
    default: true
    }
  }

  /// Whether the server rejects the subscription because the database supports no subscriptions, or
  /// no subscriptions of this kind.
  var refusesSubscriptions: Bool {
    switch code {
    case .unknownItem, .badDatabase, .invalidArguments, .badContainer: true
    default: false
    }
  }

  /// Whether this error means that another account may have signed in, or that the account cannot
  /// be used.
  var doubtsAccount: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable: !isKeyMissing
    default: false
    }
  }

  /// Whether this device could not send a record because it lacks the key of the record's encrypted
  /// values. The error does not concern the account.
  var isKeyMissing: Bool {
    if case .missing? = userInfo[NSUnderlyingErrorKey] as? KeyFailure { return true }
    return false
  }

  /// Whether a zone no longer exists, or this user has no access to it.
  var saysZoneIsGone: Bool {
    switch code {
    case .zoneNotFound, .userDeletedZone, .permissionFailure, .unknownItem: true
    default: false
    }
  }

  /// Whether the server does not have the zone.
  var saysZoneIsMissing: Bool {
    switch code {
    case .zoneNotFound, .userDeletedZone: true
    default: false
    }
  }

  /// The error of a call that the delegate awaits, although the call can return only after the
  /// delegate has returned.
  static var awaitedInDelegate: CKError {
    malformed(
      "a method of the sync engine's delegate must not await fetchChanges or sendChanges, which "
        + "wait for that method to return; start a Task and do not await the task")
  }

  /// The error of a call that has waited too long for the delegate. The delegate probably waits for
  /// that call.
  static var delegateTimedOut: CKError {
    malformed(
      "the sync engine's delegate has not returned from one call for "
        + "\(Int(Limits.delegateWaitSecondsMax)) s or more: if the delegate awaits "
        + "fetchChanges or sendChanges through another task, start that task and do not await "
        + "the task; otherwise call again later")
  }
}
