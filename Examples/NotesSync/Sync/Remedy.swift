import CloudKit

/// The app's reaction to an error. No error loses a note: until the server has confirmed a note,
/// the note stays in the folder and counts as unsent.
enum Remedy: Sendable {
  /// Repeats the request after the pause that the server requests. If the server requests none,
  /// repeats the request soon, and then after growing pauses.
  case tryAgain
  /// Repeats the request when the account has changed, and at intervals.
  case waitForAccount
  /// Repeats the request at intervals, because the user or the operator must act first.
  case waitForSomebody
  /// Fetches everything again, without change tokens.
  case startOver
  /// Merges the note with the server's version, and sends the result.
  case merge
  /// Sends the note as a new record.
  case sendAnew
  /// Sends half as many notes at once.
  case sendLess
  /// Does not send this note until it changes or the next interval begins.
  case setAside
  /// Checks whether the zone exists.
  case lookForZone
  /// Switches the backup off, because the user has deleted it. Only the user can switch it on
  /// again.
  case switchOff
}

/// The reaction and the message of the app for every error of CloudKit.
extension CKError {
  var answer: (remedy: Remedy, words: String) {
    switch code {
    // Errors of the connection to the server.
    case .networkUnavailable: (.tryAgain, "There is no network.")
    case .networkFailure: (.tryAgain, "The server cannot be reached.")
    case .serverResponseLost: (.tryAgain, "The server's answer was lost.")
    case .operationCancelled: (.tryAgain, "It was cancelled.")

    // Errors because the server has too much load.
    case .serviceUnavailable: (.tryAgain, "The server is not available.")
    case .requestRateLimited: (.tryAgain, "The server asks for a pause.")
    case .zoneBusy: (.tryAgain, "Another device is writing.")
    case .internalError: (.tryAgain, "Something went wrong at the server.")
    case .limitExceeded: (.sendLess, "That is too much at once.")

    // Errors about the user's account.
    case .notAuthenticated: (.waitForAccount, "Nobody is signed in.")
    case .accountTemporarilyUnavailable:
      (.waitForAccount, "The account needs attention. Sign in again.")
    case .managedAccountRestricted:
      (.waitForAccount, "This account is not allowed to use the server.")
    case .quotaExceeded:
      (.waitForSomebody, "The storage is full. Remove something, and look again.")

    // Errors about the zone and its notes.
    case .changeTokenExpired: (.startOver, "Fetching everything again.")
    case .zoneNotFound: (.lookForZone, "Checking whether the backup exists.")
    case .userDeletedZone: (.switchOff, "The backup was deleted. The notes here stay.")
    case .serverRecordChanged: (.merge, "Another device changed a note as well.")
    case .unknownItem: (.sendAnew, "Another device deleted a note that changed here.")

    // Several errors at once. The app handles the error of each note separately.
    case .partialFailure, .batchRequestFailed:
      (.tryAgain, "Some notes were not accepted.")

    // Refusals by the server.
    case .invalidArguments, .serverRejectedRequest, .constraintViolation, .referenceViolation:
      (.setAside, "The server refuses it.")
    case .permissionFailure: (.setAside, "That is not allowed.")
    case .assetFileNotFound, .assetFileModified, .assetNotAvailable:
      (.setAside, "A file of it is missing.")

    // Errors in the configuration of the app.
    case .badContainer, .missingEntitlement:
      (.waitForSomebody, "The server does not know this app. Check STRATUS_CONTAINER.")
    case .incompatibleVersion: (.waitForSomebody, "This app is too old for the server.")
    case .badDatabase: (.waitForSomebody, "The server keeps no notes there.")

    // Errors about shares and queries, which this app does not use.
    case .tooManyParticipants, .alreadyShared, .participantMayNeedVerification,
      .participantAlreadyInvited, .resultsTruncated:
      (.waitForSomebody, "The server sent an unexpected answer.")

    @unknown default: (.waitForSomebody, localizedDescription)
    }
  }

  /// Whether the zone was deleted because the user has reset their encrypted data. The notes may
  /// then be sent again.
  var isReset: Bool {
    (userInfo[CKErrorUserDidResetEncryptedDataKey] as? NSNumber)?.boolValue == true
  }
}
