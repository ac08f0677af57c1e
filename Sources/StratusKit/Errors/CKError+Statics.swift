extension CKError {
  /// `Code.internalError`.
  public static var internalError: CKError.Code { .internalError }
  /// `Code.partialFailure`.
  public static var partialFailure: CKError.Code { .partialFailure }
  /// `Code.networkUnavailable`.
  public static var networkUnavailable: CKError.Code { .networkUnavailable }
  /// `Code.networkFailure`.
  public static var networkFailure: CKError.Code { .networkFailure }
  /// `Code.badContainer`.
  public static var badContainer: CKError.Code { .badContainer }
  /// `Code.serviceUnavailable`.
  public static var serviceUnavailable: CKError.Code { .serviceUnavailable }
  /// `Code.requestRateLimited`.
  public static var requestRateLimited: CKError.Code { .requestRateLimited }
  /// `Code.missingEntitlement`.
  public static var missingEntitlement: CKError.Code { .missingEntitlement }
  /// `Code.notAuthenticated`.
  public static var notAuthenticated: CKError.Code { .notAuthenticated }
  /// `Code.permissionFailure`.
  public static var permissionFailure: CKError.Code { .permissionFailure }
  /// `Code.unknownItem`.
  public static var unknownItem: CKError.Code { .unknownItem }
  /// `Code.invalidArguments`.
  public static var invalidArguments: CKError.Code { .invalidArguments }
  /// `Code.resultsTruncated`.
  public static var resultsTruncated: CKError.Code { .resultsTruncated }
  /// `Code.serverRecordChanged`.
  public static var serverRecordChanged: CKError.Code { .serverRecordChanged }
  /// `Code.serverRejectedRequest`.
  public static var serverRejectedRequest: CKError.Code { .serverRejectedRequest }
  /// `Code.assetFileNotFound`.
  public static var assetFileNotFound: CKError.Code { .assetFileNotFound }
  /// `Code.assetFileModified`.
  public static var assetFileModified: CKError.Code { .assetFileModified }
  /// `Code.incompatibleVersion`.
  public static var incompatibleVersion: CKError.Code { .incompatibleVersion }
  /// `Code.constraintViolation`.
  public static var constraintViolation: CKError.Code { .constraintViolation }
  /// `Code.operationCancelled`.
  public static var operationCancelled: CKError.Code { .operationCancelled }
  /// `Code.changeTokenExpired`.
  public static var changeTokenExpired: CKError.Code { .changeTokenExpired }
  /// `Code.batchRequestFailed`.
  public static var batchRequestFailed: CKError.Code { .batchRequestFailed }
  /// `Code.zoneBusy`.
  public static var zoneBusy: CKError.Code { .zoneBusy }
  /// `Code.badDatabase`.
  public static var badDatabase: CKError.Code { .badDatabase }
  /// `Code.quotaExceeded`.
  public static var quotaExceeded: CKError.Code { .quotaExceeded }
  /// `Code.zoneNotFound`.
  public static var zoneNotFound: CKError.Code { .zoneNotFound }
  /// `Code.limitExceeded`.
  public static var limitExceeded: CKError.Code { .limitExceeded }
  /// `Code.userDeletedZone`.
  public static var userDeletedZone: CKError.Code { .userDeletedZone }
  /// `Code.tooManyParticipants`.
  public static var tooManyParticipants: CKError.Code { .tooManyParticipants }
  /// `Code.alreadyShared`.
  public static var alreadyShared: CKError.Code { .alreadyShared }
  /// `Code.referenceViolation`.
  public static var referenceViolation: CKError.Code { .referenceViolation }
  /// `Code.managedAccountRestricted`.
  public static var managedAccountRestricted: CKError.Code { .managedAccountRestricted }
  /// `Code.participantMayNeedVerification`.
  public static var participantMayNeedVerification: CKError.Code { .participantMayNeedVerification }
  /// `Code.serverResponseLost`.
  public static var serverResponseLost: CKError.Code { .serverResponseLost }
  /// `Code.assetNotAvailable`.
  public static var assetNotAvailable: CKError.Code { .assetNotAvailable }
  /// `Code.accountTemporarilyUnavailable`.
  public static var accountTemporarilyUnavailable: CKError.Code { .accountTemporarilyUnavailable }
  /// `Code.participantAlreadyInvited`.
  public static var participantAlreadyInvited: CKError.Code { .participantAlreadyInvited }
}
