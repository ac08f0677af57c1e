import StratusTransport

/// What becomes of a file that does not get across.
extension CKError {
  /// Why a file could not be fetched.
  init(downloading failure: TransferFailure) {
    switch failure {
    case .transport(let cause):
      let error = CKError(cause, isIdempotent: true)
      // What the network or a busy server says may pass; all else is about this file.
      self =
        error.concernsOperation
        ? error : CKError(.assetNotAvailable, description: error.localizedDescription)
    case .addressExpired:
      self.init(.assetNotAvailable, description: "the server does not have the file any more")
    case .file(let failure):
      self.init(.assetNotAvailable, description: failure.sentence)
    }
  }

  /// Why a file could not be sent.
  init(uploading failure: TransferFailure) {
    switch failure {
    case .transport(let cause): self.init(cause, isIdempotent: true)
    case .addressExpired:
      self.init(.internalError, description: "the server takes no file at the address it gave")
    case .file(.changed): self.init(.assetFileModified)
    case .file(let failure): self.init(.assetFileNotFound, description: failure.sentence)
    }
  }

  /// Whether it is not about one file: the next would fare no better.
  var concernsOperation: Bool {
    switch code {
    case .networkUnavailable, .networkFailure, .serverResponseLost, .serviceUnavailable,
      .requestRateLimited, .notAuthenticated, .operationCancelled:
      true
    default: false
    }
  }
}

extension FileFailure {
  /// One sentence for people.
  var sentence: String {
    switch self {
    case .missing: CKError.Code.assetFileNotFound.sentence
    case .changed: CKError.Code.assetFileModified.sentence
    case .inaccessible(let text): text
    }
  }
}
