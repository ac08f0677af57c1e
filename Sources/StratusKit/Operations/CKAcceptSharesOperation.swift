import Foundation
import StratusTransport

/// Joins shares. Their records are in the shared database when the operation has finished.
///
/// Accepting a share again succeeds and changes nothing.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var shareMetadatas: [CKShare.Metadata]?
    var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
    var perShareResultBlock:
      ((_ metadata: CKShare.Metadata, _ metadataResult: Result<CKShare, any Error>) -> Void)?
    var acceptSharesCompletionBlock: (((any Error)?) -> Void)?
    var acceptSharesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      perShareCompletionBlock = nil
      perShareResultBlock = nil
      acceptSharesCompletionBlock = nil
      acceptSharesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The shares to join. A share that is not in the operation's container fails with
  /// `CKError.badContainer`.
  public var shareMetadatas: [CKShare.Metadata]? {
    get { properties[\.shareMetadatas] }
    set { properties[\.shareMetadatas] = newValue }
  }

  /// Apple has deprecated this block. It is not called if ``perShareResultBlock`` is set.
  public var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)? {
    get { properties[\.perShareCompletionBlock] }
    set { properties[\.perShareCompletionBlock] = newValue }
  }
  /// Called once for each share.
  public var perShareResultBlock:
    ((_ metadata: CKShare.Metadata, _ metadataResult: Result<CKShare, any Error>) -> Void)?
  {
    get { properties[\.perShareResultBlock] }
    set { properties[\.perShareResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``acceptSharesResultBlock`` is set.
  /// Errors of single shares arrive as `CKError.partialFailure`.
  public var acceptSharesCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.acceptSharesCompletionBlock] }
    set { properties[\.acceptSharesCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var acceptSharesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)? {
    get { properties[\.acceptSharesResultBlock] }
    set { properties[\.acceptSharesResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that joins these shares.
  public convenience init(shareMetadatas: [CKShare.Metadata]) {
    self.init()
    self.shareMetadatas = shareMetadatas
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let started = started
    try await container.accept(started.shareMetadatas ?? []) { [self] metadata, result in
      report { [self] in
        if case .failure(let error) = result { errors.add(error, for: metadata) }
        let started = self.started
        if let perShareResultBlock = started.perShareResultBlock {
          perShareResultBlock(metadata, result.mapError { $0 })
        } else {
          started.perShareCompletionBlock?(metadata, try? result.get(), result.error)
        }
      }
    }
  }

  override func conclude(with failure: CKError?) {
    let started = started
    if let acceptSharesResultBlock = started.acceptSharesResultBlock {
      acceptSharesResultBlock(failure.asResult)
    } else {
      started.acceptSharesCompletionBlock?(failure ?? errors.partialFailure)
    }
  }
}
