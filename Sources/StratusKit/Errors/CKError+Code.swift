extension CKError {
  /// The kind of an error. The raw values are Apple's error numbers.
  public enum Code: Int, Sendable, CaseIterable {
    /// The framework or the server has an internal problem.
    case internalError = 1
    /// Some items failed. `partialErrorsByItemID` contains their errors.
    case partialFailure = 2
    /// There is no network.
    case networkUnavailable = 3
    /// The network works, but the server could not be reached.
    case networkFailure = 4
    /// The container is unknown, or does not belong to this app.
    case badContainer = 5
    /// The server is not available at the moment.
    case serviceUnavailable = 6
    /// The client sends too many requests.
    case requestRateLimited = 7
    /// The app lacks an entitlement.
    case missingEntitlement = 8
    /// No account is signed in, or the server rejects the account.
    case notAuthenticated = 9
    /// The user does not have permission for the request.
    case permissionFailure = 10
    /// The item does not exist.
    case unknownItem = 11
    /// The request is malformed.
    case invalidArguments = 12
    /// The results were truncated. This code is no longer used.
    case resultsTruncated = 13
    /// The server has another version of the record.
    case serverRecordChanged = 14
    /// The server rejects the request permanently.
    case serverRejectedRequest = 15
    /// The asset's file does not exist.
    case assetFileNotFound = 16
    /// The asset's file changed during the upload.
    case assetFileModified = 17
    /// The app is too old for the server.
    case incompatibleVersion = 18
    /// The server requires a unique value, but the value is not unique.
    case constraintViolation = 19
    /// The operation was cancelled.
    case operationCancelled = 20
    /// The change token has expired. Fetch again without a token.
    case changeTokenExpired = 21
    /// Another item of the atomic batch failed.
    case batchRequestFailed = 22
    /// Too many clients write to the zone at the same time.
    case zoneBusy = 23
    /// The database does not allow the request.
    case badDatabase = 24
    /// The storage is full.
    case quotaExceeded = 25
    /// The zone does not exist.
    case zoneNotFound = 26
    /// The request is too large. Send it in smaller parts.
    case limitExceeded = 27
    /// The user deleted the zone; do not create it again without asking.
    case userDeletedZone = 28
    /// The share has too many participants.
    case tooManyParticipants = 29
    /// The record is already shared.
    case alreadyShared = 30
    /// The target of a reference does not exist.
    case referenceViolation = 31
    /// The management of the account does not allow the request.
    case managedAccountRestricted = 32
    /// The user must verify that they are the invited participant.
    case participantMayNeedVerification = 33
    /// The response was lost. The server may have carried out the request.
    case serverResponseLost = 34
    /// The asset is not available at the moment.
    case assetNotAvailable = 35
    /// The account is not ready; wait for the next account change.
    case accountTemporarilyUnavailable = 36
    /// The user is already invited.
    case participantAlreadyInvited = 37
  }
}

extension CKError.Code {
  /// The code's name in words, as descriptions show it: `Server Record Changed`.
  var name: String {
    var words = ""
    for letter in "\(self)" {
      if letter.isUppercase { words += " " }
      words += words.isEmpty ? letter.uppercased() : String(letter)
    }
    return words
  }

  /// A sentence for the user.
  var sentence: String {
    switch self {
    case .internalError:
      "The framework or the server has an internal problem."
    case .partialFailure:
      "Some items failed."
    case .networkUnavailable:
      "There is no network."
    case .networkFailure:
      "The network works, but the server could not be reached."
    case .badContainer:
      "The container is unknown, or does not belong to this app."
    case .serviceUnavailable:
      "The server is not available at the moment."
    case .requestRateLimited:
      "The client sends too many requests."
    case .missingEntitlement:
      "The app lacks an entitlement."
    case .notAuthenticated:
      "Nobody is signed in. Set STRATUS_API_TOKEN and STRATUS_WEB_AUTH_TOKEN. 'stratus dev' "
        + "and 'stratus web-token create' print them."
    case .permissionFailure:
      "The user does not have permission for this request."
    case .unknownItem:
      "The item does not exist."
    case .invalidArguments:
      "The request is malformed."
    case .resultsTruncated:
      "The results were truncated. This code is no longer used."
    case .serverRecordChanged:
      "The server has another version of the record."
    case .serverRejectedRequest:
      "The server rejects the request permanently."
    case .assetFileNotFound:
      "The asset's file does not exist."
    case .assetFileModified:
      "The asset's file changed during the upload."
    case .incompatibleVersion:
      "The app is too old for the server."
    case .constraintViolation:
      "The server requires a unique value, but this value is not unique."
    case .operationCancelled:
      "The operation was cancelled."
    case .changeTokenExpired:
      "The change token is too old: start again without one."
    case .batchRequestFailed:
      "Another item of the atomic batch failed."
    case .zoneBusy:
      "Too many clients write to the zone at the same time."
    case .badDatabase:
      "The database does not allow this."
    case .quotaExceeded:
      "The storage is full."
    case .zoneNotFound:
      "The zone does not exist."
    case .limitExceeded:
      "The request is too large: send it in smaller parts."
    case .userDeletedZone:
      "The user deleted the zone; do not create it again without asking."
    case .tooManyParticipants:
      "The share has too many participants."
    case .alreadyShared:
      "The record is already shared."
    case .referenceViolation:
      "The target of a reference does not exist."
    case .managedAccountRestricted:
      "The management of the account does not allow this request."
    case .participantMayNeedVerification:
      "The user must verify that they are the invited participant."
    case .serverResponseLost:
      "The response was lost. The server may have carried out the request."
    case .assetNotAvailable:
      "The asset is not available at the moment."
    case .accountTemporarilyUnavailable:
      "The account is not ready; wait for the next account change."
    case .participantAlreadyInvited:
      "The user is already invited."
    }
  }
}
