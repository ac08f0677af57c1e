import Foundation
import StratusTransport

extension CKError {
  /// Whether an engine tries again by itself, and keeps pending what failed so.
  ///
  /// Source: semantics §23. Choice: also `serverResponseLost`, because nobody knows whether the
  /// change was carried out: sent once more, at worst it conflicts with itself; and
  /// `operationCancelled`, because nobody said no.
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

  /// Whether what failed so may go well another time, whoever's fault it was: the server's, or that
  /// of something on the way, which also answers.
  var mayPass: Bool { code != .badContainer }

  /// Whether the server will have no subscription: it does not know of any, or of none of this
  /// kind.
  var refusesSubscriptions: Bool {
    switch code {
    case .unknownItem, .badDatabase, .invalidArguments, .badContainer: true
    default: false
    }
  }

  /// Whether it says that the user may be another by now, or cannot be used.
  var doubtsAccount: Bool {
    switch code {
    case .notAuthenticated, .accountTemporarilyUnavailable: !isKeyMissing
    default: false
    }
  }

  /// Whether a record was not sent because this device lacks the key of its encrypted values; the
  /// account is as it was.
  var isKeyMissing: Bool {
    if case .missing? = userInfo[NSUnderlyingErrorKey] as? KeyFailure { return true }
    return false
  }

  /// Whether it says that a zone is no more, or not for this user.
  var saysZoneIsGone: Bool {
    switch code {
    case .zoneNotFound, .userDeletedZone, .permissionFailure, .unknownItem: true
    default: false
    }
  }

  /// Somebody waits inside the delegate for what can only happen after it.
  static var awaitedInDelegate: CKError {
    malformed(
      "fetchChanges and sendChanges must not be awaited while the sync engine calls its delegate: "
        + "they wait for the delegate to return; start a Task and do not await it")
  }
}
