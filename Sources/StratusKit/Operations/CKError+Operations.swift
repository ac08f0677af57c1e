import StratusWire

extension CKError {
  /// The error of a request if no container is configured.
  static var noContainer: CKError {
    CKError(.badContainer, description: "no container is named: set STRATUS_CONTAINER")
  }

  /// The error for a response that contradicts itself or the request.
  static var badAnswer: CKError {
    CKError(.internalError, description: "the server's answer does not fit the request")
  }

  /// Makes the error of an operation with too many items. The app can send the items in several
  /// operations.
  static func tooLarge(_ text: String) -> CKError { CKError(.limitExceeded, description: text) }

  /// Makes the error of an operation whose properties are invalid or contradict each other.
  static func malformed(_ text: String) -> CKError {
    CKError(.invalidArguments, description: text)
  }

  /// Whether the server rejected values because their key is no longer the zone's key.
  var isUnknownZoneKey: Bool {
    code == .invalidArguments && localizedDescription == Reason.zoneKeyUnknown
  }

  /// Whether a whole request failed because of its zone. Requests of the same operation for other
  /// zones may then succeed.
  var concernsZone: Bool {
    switch code {
    case .zoneNotFound, .userDeletedZone, .batchRequestFailed, .permissionFailure, .zoneBusy,
      .quotaExceeded, .changeTokenExpired:
      true
    // If this error concerns all files, records of other zones may still succeed: their files may
    // already be in the cache.
    default: concernsAllFiles
    }
  }
}
