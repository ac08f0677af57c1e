import StratusTransport
import StratusWire

/// Finds users by e-mail address, telephone number or user record ID.
///
/// Apple no longer supports this operation, but a Stratus server supports it. It finds users who
/// have agreed to be found and have used the app. The server limits the number of lookups in an
/// hour.
open class CKDiscoverUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] = []
    var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)?
    var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?
    var discoverUserIdentitiesResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      userIdentityDiscoveredBlock = nil
      discoverUserIdentitiesCompletionBlock = nil
      discoverUserIdentitiesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The users to find.
  public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo] {
    get { properties[\.userIdentityLookupInfos] }
    set { properties[\.userIdentityLookupInfos] = newValue }
  }

  /// Called once for each user who is found, in the order of the lookups. It is not called for a
  /// lookup without a result.
  public var userIdentityDiscoveredBlock: ((CKUserIdentity, CKUserIdentity.LookupInfo) -> Void)? {
    get { properties[\.userIdentityDiscoveredBlock] }
    set { properties[\.userIdentityDiscoveredBlock] = newValue }
  }
  /// Called last, unless ``discoverUserIdentitiesResultBlock`` is set.
  public var discoverUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.discoverUserIdentitiesCompletionBlock] }
    set { properties[\.discoverUserIdentitiesCompletionBlock] = newValue }
  }
  /// Called last. The result is a success even if no user was found.
  public var discoverUserIdentitiesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.discoverUserIdentitiesResultBlock] }
    set { properties[\.discoverUserIdentitiesResultBlock] = newValue }
  }

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that looks for these users.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    try await container.discover(started.userIdentityLookupInfos) { [self] identity, lookup in
      report { [self] in started.userIdentityDiscoveredBlock?(identity, lookup) }
    }
  }

  override func conclude(with failure: CKError?) {
    let started = started
    if let discoverUserIdentitiesResultBlock = started.discoverUserIdentitiesResultBlock {
      discoverUserIdentitiesResultBlock(failure.asResult)
    } else {
      started.discoverUserIdentitiesCompletionBlock?(failure)
    }
  }
}
