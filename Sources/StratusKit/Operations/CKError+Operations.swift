import StratusWire

extension CKError {
  /// No container is configured.
  static var noContainer: CKError {
    CKError(.badContainer, description: "no container is named: set STRATUS_CONTAINER")
  }

  /// The server's answer contradicts itself or the request.
  static var badAnswer: CKError {
    CKError(.internalError, description: "the server's answer does not fit the request")
  }

  /// The operation has too many items. The caller may halve it and try again.
  static func tooLarge(_ text: String) -> CKError { CKError(.limitExceeded, description: text) }

  /// The operation's properties contradict each other.
  static func malformed(_ text: String) -> CKError {
    CKError(.invalidArguments, description: text)
  }

  /// Whether the server rejected values because their key is no longer the zone's key.
  var isUnknownZoneKey: Bool {
    code == .invalidArguments && localizedDescription == Reason.zoneKeyUnknown
  }

  /// Whether a whole request failed because of its zone. Other zones of the same operation may
  /// succeed then.
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
