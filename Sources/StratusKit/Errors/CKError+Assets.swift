import Foundation
import StratusTransport
import StratusWire

/// What becomes of a file that does not get across.
extension CKError {
  /// Why a file could not be fetched.
  init(downloading failure: TransferFailure) {
    switch failure {
    case .transport(let cause):
      let error = CKError(cause, isIdempotent: true)
      // What the network or a busy server says may pass, and what names its code means it; all else
      // is about this file.
      self =
        error.concernsOperation || cause.namesCode
        ? error : CKError(.assetNotAvailable, description: error.localizedDescription)
    case .addressExpired:
      self.init(.assetNotAvailable, description: "the server does not have the file any more")
    case .addressInsecure(let sentence): self.init(unavailable: sentence, because: failure)
    case .file(let cause): self.init(unavailable: cause.sentence, because: failure)
    }
  }

  /// No file could be fetched just now: the trouble is not with one.
  private init(unavailable sentence: String, because failure: TransferFailure) {
    self.init(
      .assetNotAvailable,
      userInfo: [NSLocalizedDescriptionKey: sentence, NSUnderlyingErrorKey: failure])
  }

  /// Why a file could not be sent.
  init(uploading failure: TransferFailure) {
    switch failure {
    // NB: pieces that do not meet are no conflict of records, which would carry three of them.
    case .transport(let cause) where cause.isMisplaced:
      self.init(.networkFailure, description: "the pieces of the file do not arrive in order")
    case .transport(let cause): self.init(cause, isIdempotent: true)
    case .addressExpired:
      self.init(.internalError, description: "the server takes no file at the address it gave")
    case .addressInsecure(let sentence):
      self.init(.serverRejectedRequest, description: sentence)
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

  /// Whether fetched files find no place on this machine, or no safe way to it.
  var concernsAllFiles: Bool {
    code == .assetNotAvailable && userInfo[NSUnderlyingErrorKey] is TransferFailure
  }
}

extension TransportFailure {
  /// Whether the answer says itself which of the framework's codes it has.
  fileprivate var namesCode: Bool {
    if case .refused(let error, _, _) = self { return error.nativeCode != nil }
    return false
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
