import CloudKit

/// What the app does about an error. A note is never lost by it: what the server does not have yet
/// stays in the folder, and counts as unsent until the server has confirmed it.
enum Remedy: Sendable {
  /// The same again: after as long as the server asks for, else soon, then less and less often.
  case tryAgain
  /// Again when the account has changed, and now and then.
  case waitForAccount
  /// Again now and then: somebody must do something first.
  case waitForSomebody
  /// Reads the histories from their beginning.
  case startOver
  /// Takes the server's note in by the merge rule, and sends the outcome.
  case merge
  /// Sends the note as a new one.
  case sendAnew
  /// Sends half as many at once.
  case sendLess
  /// Leaves this note out until it changes, and tries it now and then.
  case setAside
  /// Looks whether the zone is there.
  case lookForZone
  /// The user has deleted the backup: does not make it again unasked.
  case switchOff
}

/// Everything that CloudKit may answer, and what the app does and says then.
extension CKError {
  var answer: (remedy: Remedy, words: String) {
    switch code {
    // The way to the server
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

    // What has become of the zone, and of a note in it
    case .changeTokenExpired: (.startOver, "Reading everything anew.")
    case .zoneNotFound: (.lookForZone, "Looking where the backup is.")
    case .userDeletedZone: (.switchOff, "The backup was deleted. The notes here stay.")
    case .serverRecordChanged: (.merge, "Another device changed a note as well.")
    case .unknownItem: (.sendAnew, "Another device deleted a note that changed here.")

    // Several at once: each note's own error says what to do about it
    case .partialFailure, .batchRequestFailed:
      (.tryAgain, "Some notes did not pass.")

    // What the server will not take
    case .invalidArguments, .serverRejectedRequest, .constraintViolation, .referenceViolation:
      (.setAside, "The server refuses it.")
    case .permissionFailure: (.setAside, "That is not allowed.")
    case .assetFileNotFound, .assetFileModified, .assetNotAvailable:
      (.setAside, "A file of it is missing.")

    // How the app is set up
    case .badContainer, .missingEntitlement:
      (.waitForSomebody, "The server does not know this app. Check STRATUS_CONTAINER.")
    case .incompatibleVersion: (.waitForSomebody, "This app is too old for the server.")
    case .badDatabase: (.waitForSomebody, "The server keeps no notes there.")

    // Shares and queries, which this app has none of
    case .tooManyParticipants, .alreadyShared, .participantMayNeedVerification,
      .participantAlreadyInvited, .resultsTruncated:
      (.waitForSomebody, "The server answered something strange.")

    @unknown default: (.waitForSomebody, localizedDescription)
    }
  }

  /// The user has reset their encrypted data, and the zone went with it: its notes may come again.
  var isReset: Bool {
    (userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber)?.boolValue == true
  }
}
