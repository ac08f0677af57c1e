import StratusTransport
import StratusWire

/// Fetches a web auth token, with which a web page can act in the user's name in the same container
/// and environment.
///
/// Choice: the token belongs to the session of this program. It is valid for 30 minutes, but not
/// after the end of the session. Each response of the server to the page may contain a newer token.
/// A token may be used more than once, like all tokens of a Stratus server.
open class CKFetchWebAuthTokenOperation: CKDatabaseOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var apiToken: String?
    var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)?
    var fetchWebAuthTokenResultBlock: ((_ operationResult: Result<String, any Error>) -> Void)?

    mutating func releaseBlocks() {
      fetchWebAuthTokenCompletionBlock = nil
      fetchWebAuthTokenResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The API token of the web page. It must be set.
  public var apiToken: String? {
    get { properties[\.apiToken] }
    set { properties[\.apiToken] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchWebAuthTokenResultBlock`` is set.
  public var fetchWebAuthTokenCompletionBlock: ((String?, (any Error)?) -> Void)? {
    get { properties[\.fetchWebAuthTokenCompletionBlock] }
    set { properties[\.fetchWebAuthTokenCompletionBlock] = newValue }
  }
  /// Called last, with the token. The token must be encoded before it becomes part of a URL.
  public var fetchWebAuthTokenResultBlock: ((_ operationResult: Result<String, any Error>) -> Void)?
  {
    get { properties[\.fetchWebAuthTokenResultBlock] }
    set { properties[\.fetchWebAuthTokenResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var token: String?

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation for the web page with this API token.
  public convenience init(apiToken APIToken: String) {
    self.init()
    apiToken = APIToken
  }

  override func perform(in database: DatabaseCalls) async throws(CKError) {
    guard let apiToken = started.apiToken, !apiToken.isEmpty else {
      throw CKError.malformed("set apiToken, the API token of the web page")
    }
    try ContainerCalls(path: database.path, options: database.options).requireUser()
    // NB: the request is sent without `database.send`, which would save the token of a long-lived
    // operation on the disk.
    let response = try await database.path.send(
      IssueWebToken.self, IssueWebToken.Request(apiToken: apiToken), to: .private,
      isIdempotent: true, options: database.options)
    report { [self] in token = response.webAuthToken }
  }

  override func conclude(with failure: CKError?) {
    let started = started
    let result: Result<String, any Error>
    if failure == nil, let token {
      result = .success(token)
    } else {
      result = .failure(failure ?? CKError.badAnswer)
    }
    if let fetchWebAuthTokenResultBlock = started.fetchWebAuthTokenResultBlock {
      fetchWebAuthTokenResultBlock(result)
    } else if let fetchWebAuthTokenCompletionBlock = started.fetchWebAuthTokenCompletionBlock {
      result.report(to: fetchWebAuthTokenCompletionBlock)
    }
  }
}
