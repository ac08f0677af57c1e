public import Foundation
import StratusTransport

/// Asks the owners of shares for access.
///
/// The owner of a share sees the user in ``CKShare/requesters``, and approves, denies or blocks the
/// user. If a share takes no requests, the error is `CKError.unknownItem`, as if there were no such
/// share. `CKError.participantAlreadyInvited` means that the user can accept the share already.
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var shareURLs: [URL]?
    var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
    var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      perShareAccessRequestResultBlock = nil
      shareAccessRequestResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The URLs of the shares. The fragments of the URLs do not matter.
  public var shareURLs: [URL]? {
    get { properties[\.shareURLs] }
    set { properties[\.shareURLs] = newValue }
  }
  /// Called once for each URL. A success means that the owner has received the request.
  public var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)? {
    get { properties[\.perShareAccessRequestResultBlock] }
    set { properties[\.perShareAccessRequestResultBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)? {
    get { properties[\.shareAccessRequestResultBlock] }
    set { properties[\.shareAccessRequestResultBlock] = newValue }
  }

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation for the shares with these URLs.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let started = started
    try await container.requestAccess(started.shareURLs ?? []) { [self] url, result in
      report { [self] in
        self.started.perShareAccessRequestResultBlock?(url, result.mapError { $0 })
      }
    }
  }

  override func conclude(with failure: CKError?) {
    started.shareAccessRequestResultBlock?(failure.asResult)
  }
}
