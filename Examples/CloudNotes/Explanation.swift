import CloudKit

extension CKError {
  /// A description of the error and of a remedy, for the user.
  var explanation: String {
    switch code {
    case .notAuthenticated:
      return """
        Nobody is signed in. Set STRATUS_API_TOKEN and STRATUS_WEB_AUTH_TOKEN (stratus dev prints \
        both).
        """
    case .accountTemporarilyUnavailable:
      return "The account needs attention before it can be used. Sign in again."
    case .managedAccountRestricted: return "This account is not allowed to use CloudKit."
    case .missingEntitlement, .badContainer:
      return "The server does not know this app's container. Check STRATUS_CONTAINER."
    case .networkUnavailable, .networkFailure:
      return "The server cannot be reached. Check STRATUS_URL, and try again."
    case .serverResponseLost:
      return "The answer was lost. List the notes to see whether the change was made."
    case .serviceUnavailable, .requestRateLimited, .zoneBusy:
      return "The server is busy. Try again in \(Int(retryAfterSeconds ?? 1)) s."
    case .serverRecordChanged: return "Another device changed the note first. Try again."
    case .unknownItem: return "The note is gone: another device deleted it."
    case .zoneNotFound: return "The notebook is gone. It is made again with the next list."
    case .userDeletedZone: return "You deleted this app's data. It stays deleted."
    case .changeTokenExpired: return "This device's bookmark is too old. List the notes again."
    case .permissionFailure: return "You may not change this note."
    case .quotaExceeded: return "There is no room left on the server."
    case .limitExceeded: return "That is too much at once. Make the note shorter."
    case .invalidArguments, .serverRejectedRequest, .constraintViolation, .referenceViolation:
      return "The server refused the note: \(localizedDescription)"
    case .incompatibleVersion: return "This app is too old for the server. Update it."
    case .operationCancelled: return "Cancelled."
    case .partialFailure:
      let errors = partialErrorsByItemID?.values.compactMap { $0 as? CKError } ?? []
      return errors.map(\.explanation).joined(separator: "\n")
    case .batchRequestFailed: return "Another note of the same batch was refused."
    case .participantMayNeedVerification:
      return "The note may be shared with another address of yours. Open its URL in a browser."
    case .tooManyParticipants: return "Too many people share this note already."
    case .assetFileNotFound, .assetFileModified, .assetNotAvailable, .alreadyShared,
      .participantAlreadyInvited,
      .badDatabase, .resultsTruncated, .internalError:
      return "That should not happen here: \(localizedDescription)"
    @unknown default: return localizedDescription
    }
  }
}
