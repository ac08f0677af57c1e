import StratusTransport

/// Finds the users in the address book of the device.
///
/// Choice: the operation finds no user, because Linux has no address book. It fails if no user is
/// signed in. Apple no longer supports this operation.
open class CKDiscoverAllUserIdentitiesOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)?
    var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)?
    var discoverAllUserIdentitiesResultBlock:
      ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      userIdentityDiscoveredBlock = nil
      discoverAllUserIdentitiesCompletionBlock = nil
      discoverAllUserIdentitiesResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// Called once for each user who is found. On Linux, it is never called.
  public var userIdentityDiscoveredBlock: ((CKUserIdentity) -> Void)? {
    get { properties[\.userIdentityDiscoveredBlock] }
    set { properties[\.userIdentityDiscoveredBlock] = newValue }
  }
  /// Called last, unless ``discoverAllUserIdentitiesResultBlock`` is set.
  public var discoverAllUserIdentitiesCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.discoverAllUserIdentitiesCompletionBlock] }
    set { properties[\.discoverAllUserIdentitiesCompletionBlock] = newValue }
  }
  /// Called last.
  public var discoverAllUserIdentitiesResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.discoverAllUserIdentitiesResultBlock] }
    set { properties[\.discoverAllUserIdentitiesResultBlock] = newValue }
  }

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    _ = try await container.fetchCaller()
  }

  override func conclude(with failure: CKError?) {
    let started = started
    if let discoverAllUserIdentitiesResultBlock = started.discoverAllUserIdentitiesResultBlock {
      discoverAllUserIdentitiesResultBlock(failure.asResult)
    } else {
      started.discoverAllUserIdentitiesCompletionBlock?(failure)
    }
  }
}
