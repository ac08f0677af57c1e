import Foundation
import StratusTransport
import StratusWire

extension CKError {
  /// Whether the engine keeps the change pending and retries it.
  ///
  /// Source: semantics §23. Choice: this includes `serverResponseLost`, because the server may not
  /// have carried out the change. At worst the repeated change conflicts with itself. It also
  /// includes `operationCancelled`, because the server has not rejected the change.
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

  /// Whether a later attempt may succeed, regardless of whether the server or the network failed.
  ///
  /// A missing container or database is not temporary.
  var mayPass: Bool {
    switch code {
    case .badContainer, .badDatabase: false
    default: true
    }
  }

  /// Whether the server rejects the subscription because it supports no subscriptions, or none of
  /// this kind.
  var refusesSubscriptions: Bool {
    switch code {
    case .unknownItem, .badDatabase, .invalidArguments, .badContainer: true
    default: false
    }
  }

  /// Whether another account may have signed in, or the account cannot be used.
  var doubtsAccount: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable: !isKeyMissing
    default: false
    }
  }

  /// Whether a record was not sent because this device lacks the key of its encrypted values. The
  /// error does not concern the account.
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

  /// The delegate awaits a call that can only return after the delegate has returned.
  static var awaitedInDelegate: CKError {
    malformed(
      "fetchChanges and sendChanges must not be awaited in a method of the sync engine's delegate: "
        + "they wait for that method to return; start a Task and do not await it")
  }

  /// A call has waited too long for the delegate, which probably waits for that call.
  static var delegateTimedOut: CKError {
    malformed(
      "the sync engine's delegate has not returned from one call for "
        + "\(Int(Limits.delegateWaitSecondsMax)) s or more: if it awaits fetchChanges or "
        + "sendChanges through another task, start that task and do not await it; otherwise call "
        + "again later")
  }
}
