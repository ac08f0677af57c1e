import CloudKit

/// The app's reaction to an error. No error loses a note: a note that the server does not have yet
/// stays in the folder, and counts as unsent until the server has confirmed it.
enum Remedy: Sendable {
  /// Repeats the request: after the time that the server asks for; otherwise soon, and then with
  /// growing pauses.
  case tryAgain
  /// Repeats the request when the account has changed, and at intervals.
  case waitForAccount
  /// Repeats the request at intervals: a user or the operator must act first.
  case waitForSomebody
  /// Fetches everything again, without change tokens.
  case startOver
  /// Merges the server's note by the merge rule, and sends the result.
  case merge
  /// Sends the note as a new one.
  case sendAnew
  /// Sends half as many notes at once.
  case sendLess
  /// Leaves this note out until it changes, and retries it at intervals.
  case setAside
  /// Checks whether the zone exists.
  case lookForZone
  /// The user has deleted the backup: the app does not create it again without being asked.
  case switchOff
}

/// Every error of CloudKit, with the app's reaction and its message.
extension CKError {
  var answer: (remedy: Remedy, words: String) {
    switch code {
    // The connection to the server
    case .networkUnavailable: (.tryAgain, "There is no network.")
    case .networkFailure: (.tryAgain, "The server cannot be reached.")
    case .serverResponseLost: (.tryAgain, "The server's answer was lost.")
    case .operationCancelled: (.tryAgain, "It was cancelled.")

    // The server's load
    case .serviceUnavailable: (.tryAgain, "The server is not available.")
    case .requestRateLimited: (.tryAgain, "The server asks for a pause.")
    case .zoneBusy: (.tryAgain, "Another device is writing.")
    case .internalError: (.tryAgain, "Something went wrong at the server.")
    case .limitExceeded: (.sendLess, "That is too much at once.")

    // The account
    case .notAuthenticated: (.waitForAccount, "Nobody is signed in.")
    case .accountTemporarilyUnavailable:
      (.waitForAccount, "The account needs attention. Sign in again.")
    case .managedAccountRestricted:
      (.waitForAccount, "This account is not allowed to use the server.")
    case .quotaExceeded:
      (.waitForSomebody, "The storage is full. Remove something, and look again.")

    // The zone, and a note in it
    case .changeTokenExpired: (.startOver, "Reading everything anew.")
    case .zoneNotFound: (.lookForZone, "Looking where the backup is.")
    case .userDeletedZone: (.switchOff, "The backup was deleted. The notes here stay.")
    case .serverRecordChanged: (.merge, "Another device changed a note as well.")
    case .unknownItem: (.sendAnew, "Another device deleted a note that changed here.")

    // Several errors at once: each note's own error decides
    case .partialFailure, .batchRequestFailed:
      (.tryAgain, "Some notes did not pass.")

    // Refusals of the server
    case .invalidArguments, .serverRejectedRequest, .constraintViolation, .referenceViolation:
      (.setAside, "The server refuses it.")
    case .permissionFailure: (.setAside, "That is not allowed.")
    case .assetFileNotFound, .assetFileModified, .assetNotAvailable:
      (.setAside, "A file of it is missing.")

    // The configuration of the app
    case .badContainer, .missingEntitlement:
      (.waitForSomebody, "The server does not know this app. Check STRATUS_CONTAINER.")
    case .incompatibleVersion: (.waitForSomebody, "This app is too old for the server.")
    case .badDatabase: (.waitForSomebody, "The server keeps no notes there.")

    // Shares and queries, which this app does not use
    case .tooManyParticipants, .alreadyShared, .participantMayNeedVerification,
      .participantAlreadyInvited, .resultsTruncated:
      (.waitForSomebody, "The server answered something strange.")

    @unknown default: (.waitForSomebody, localizedDescription)
    }
  }

  /// Whether the user has reset their encrypted data, which deleted the zone. The notes may then be
  /// sent again.
  var isReset: Bool {
    (userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber)?.boolValue == true
  }
}
