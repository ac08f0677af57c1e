import Foundation
import StratusTransport
import StratusWire

/// Conversions of failed file transfers into errors.
extension CKError {
  /// Makes an error from a failed download.
  init(downloading failure: TransferFailure) {
    switch failure {
    case .transport(let cause):
      let error = CKError(cause, isIdempotent: true)
      // Network failures and a busy server concern the whole operation. If the server's error
      // contains one of the framework's codes, the error keeps that code. All other failures
      // concern only this file.
      self =
        error.concernsOperation || cause.namesCode
        ? error : CKError(.assetNotAvailable, description: error.localizedDescription)
    case .addressExpired:
      self.init(.assetNotAvailable, description: "the server does not have the file any more")
    case .addressInsecure(let sentence): self.init(unavailable: sentence, because: failure)
    case .file(let cause): self.init(unavailable: cause.sentence, because: failure)
    }
  }

  /// Makes an error for a problem that affects all files, not only one.
  private init(unavailable sentence: String, because failure: TransferFailure) {
    self.init(
      .assetNotAvailable,
      userInfo: [NSLocalizedDescriptionKey: sentence, NSUnderlyingErrorKey: failure])
  }

  /// Makes an error from a failed upload.
  init(uploading failure: TransferFailure) {
    switch failure {
    // NB: an error about misplaced pieces of a file must not become `serverRecordChanged`, because
    // an error with that code contains three records.
    case .transport(let cause) where cause.isMisplaced:
      self.init(.networkFailure, description: "the pieces of the file did not arrive in order")
    case .transport(let cause): self.init(cause, isIdempotent: true)
    case .addressExpired:
      self.init(
        .internalError,
        description: "the server does not accept a file at the address that it gave")
    case .addressInsecure(let sentence):
      self.init(.serverRejectedRequest, description: sentence)
    case .file(.changed): self.init(.assetFileModified)
    case .file(let failure): self.init(.assetFileNotFound, description: failure.sentence)
    }
  }

  /// Whether the error concerns the whole operation, so that other files would fail as well.
  var concernsOperation: Bool {
    switch code {
    case .networkUnavailable, .networkFailure, .serverResponseLost, .serviceUnavailable,
      .requestRateLimited, .notAuthenticated, .operationCancelled:
      true
    default: false
    }
  }

  /// Whether the problem concerns every file: this machine cannot store fetched files, or cannot
  /// fetch files securely.
  var concernsAllFiles: Bool {
    code == .assetNotAvailable && userInfo[NSUnderlyingErrorKey] is TransferFailure
  }
}

extension TransportFailure {
  /// Whether the response itself contains one of the framework's codes.
  fileprivate var namesCode: Bool {
    if case .refused(let error, _, _) = self { return error.nativeCode != nil }
    return false
  }
}

extension FileFailure {
  /// A sentence for the user.
  var sentence: String {
    switch self {
    case .missing: CKError.Code.assetFileNotFound.sentence
    case .changed: CKError.Code.assetFileModified.sentence
    case .inaccessible(let text): text
    }
  }
}
