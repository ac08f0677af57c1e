import StratusWire

extension CKError {
  /// Nobody said which container.
  static var noContainer: CKError {
    CKError(.badContainer, description: "no container is named: set STRATUS_CONTAINER")
  }

  /// The server's answer contradicts itself or the request.
  static var badAnswer: CKError {
    CKError(.internalError, description: "the server's answer does not fit the request")
  }

  /// More than one operation takes; the caller may halve it and try again.
  static func tooLarge(_ text: String) -> CKError { CKError(.limitExceeded, description: text) }

  /// The operation contradicts itself.
  static func malformed(_ text: String) -> CKError {
    CKError(.invalidArguments, description: text)
  }

  /// Whether values were sealed with a key that the zone does not have any more.
  var isUnknownZoneKey: Bool {
    code == .invalidArguments && localizedDescription == Reason.zoneKeyUnknown
  }

  /// Whether a whole request failed for a reason that lies in its zone, so that other zones of the
  /// same operation may succeed.
  var concernsZone: Bool {
    switch code {
    case .zoneNotFound, .userDeletedZone, .batchRequestFailed, .permissionFailure, .zoneBusy,
      .quotaExceeded, .changeTokenExpired:
      true
    // The files of another zone's records may be here already.
    default: concernsAllFiles
    }
  }
}
