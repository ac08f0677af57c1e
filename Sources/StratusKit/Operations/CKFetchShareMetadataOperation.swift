public import Foundation
import StratusTransport

/// Fetches the metadata of shares by their URLs.
///
/// Choice: the operation must run in the container of the shares. Apple's operation may run in any
/// container.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var shareURLs: [URL]?
    var shouldFetchRootRecord = false
    var rootRecordDesiredKeys: [CKRecord.FieldKey]?
    var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
    var perShareMetadataResultBlock:
      ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
    var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?
    var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      perShareMetadataBlock = nil
      perShareMetadataResultBlock = nil
      fetchShareMetadataCompletionBlock = nil
      fetchShareMetadataResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The URLs of the shares. The title in a URL's fragment does not matter. A secret in the
  /// fragment is needed to decrypt encrypted values after the share is accepted.
  public var shareURLs: [URL]? {
    get { properties[\.shareURLs] }
    set { properties[\.shareURLs] = newValue }
  }
  /// Whether the metadata includes the root record of the share; false by default.
  public var shouldFetchRootRecord: Bool {
    get { properties[\.shouldFetchRootRecord] }
    set { properties[\.shouldFetchRootRecord] = newValue }
  }
  /// The fields of the root record to fetch; nil, the default, means all fields.
  public var rootRecordDesiredKeys: [CKRecord.FieldKey]? {
    get { properties[\.rootRecordDesiredKeys] }
    set { properties[\.rootRecordDesiredKeys] = newValue }
  }

  /// Apple has deprecated this block. It is not called if ``perShareMetadataResultBlock`` is set.
  public var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)? {
    get { properties[\.perShareMetadataBlock] }
    set { properties[\.perShareMetadataBlock] = newValue }
  }
  /// Called once for each URL.
  public var perShareMetadataResultBlock:
    ((_ shareURL: URL, _ shareMetadataResult: Result<CKShare.Metadata, any Error>) -> Void)?
  {
    get { properties[\.perShareMetadataResultBlock] }
    set { properties[\.perShareMetadataResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchShareMetadataResultBlock`` is set.
  /// Errors of single shares arrive as `CKError.partialFailure`.
  public var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.fetchShareMetadataCompletionBlock] }
    set { properties[\.fetchShareMetadataCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchShareMetadataResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.fetchShareMetadataResultBlock] }
    set { properties[\.fetchShareMetadataResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation for the shares with these URLs.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let started = started
    try await container.resolve(
      started.shareURLs ?? [], fetchesRoots: started.shouldFetchRootRecord,
      desiredKeys: started.rootRecordDesiredKeys
    ) { [self] url, result in
      report { [self] in
        if case .failure(let error) = result { errors.add(error, for: url) }
        let started = self.started
        if let perShareMetadataResultBlock = started.perShareMetadataResultBlock {
          perShareMetadataResultBlock(url, result.mapError { $0 })
        } else {
          started.perShareMetadataBlock?(url, try? result.get(), result.error)
        }
      }
    }
  }

  override func conclude(with failure: CKError?) {
    let started = started
    if let fetchShareMetadataResultBlock = started.fetchShareMetadataResultBlock {
      fetchShareMetadataResultBlock(failure.asResult)
    } else {
      started.fetchShareMetadataCompletionBlock?(failure ?? errors.partialFailure)
    }
  }
}

extension Result where Failure == CKError {
  /// The error of a failure; nil for a success.
  var error: CKError? {
    if case .failure(let error) = self { error } else { nil }
  }
}
