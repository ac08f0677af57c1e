import CloudKit

extension CKError {
  /// A description of the error and of a remedy, for the user.
  var explanation: String {
    switch code {
    case .notAuthenticated:
      return "Nobody is signed in. Set STRATUS_API_TOKEN and STRATUS_WEB_AUTH_TOKEN."
    case .accountTemporarilyUnavailable: return "Your session has ended. Sign in again."
    case .managedAccountRestricted: return "This account is not allowed to use CloudKit."
    case .badContainer, .missingEntitlement:
      return "The server does not know this app. Check STRATUS_CONTAINER."
    case .networkUnavailable, .networkFailure:
      return "The server cannot be reached. Check STRATUS_URL, and try again."
    case .serverResponseLost: return "The answer was lost. Try again."
    case .serviceUnavailable, .requestRateLimited, .zoneBusy:
      return "The server is busy. Try again in \(Int(retryAfterSeconds ?? 1)) s."
    case .permissionFailure: return "You may not write here."
    case .quotaExceeded: return "There is no room for that on the server."
    case .limitExceeded: return "That is too long for a message. Send it as a file."
    case .assetFileNotFound: return "The file is not there any more."
    case .assetFileModified: return "The file changed while it was sent. Send it again."
    case .assetNotAvailable: return "The file is not available at the moment. Try again later."
    case .unknownItem: return "That is gone, or it is not for you."
    case .zoneNotFound: return "You are not in this room any more."
    case .participantMayNeedVerification: return "The room invites another address."
    case .tooManyParticipants: return "The room is full."
    case .operationCancelled: return "Cancelled."
    default: return localizedDescription
    }
  }
}

/// Returns a sentence for the user about any error.
func explain(_ error: any Error) -> String {
  switch error {
  case let error as CKError: error.explanation
  case let error as UsageError: error.description
  default: "That did not work: \(error.localizedDescription)"
  }
}
