import StratusWire

/// Sets the number on the app's icon on all the user's devices. Notifications of subscriptions with
/// `shouldBadge` increment the same number.
///
/// Apple no longer supports this operation, but a Stratus server supports it.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var badgeValue = 0
    var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    mutating func releaseBlocks() {
      modifyBadgeCompletionBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The number on the icon; 0, the default, removes the number.
  public var badgeValue: Int {
    get { properties[\.badgeValue] }
    set { properties[\.badgeValue] = newValue }
  }

  /// Called last.
  public var modifyBadgeCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.modifyBadgeCompletionBlock] }
    set { properties[\.modifyBadgeCompletionBlock] = newValue }
  }

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation that sets the number.
  public convenience init(badgeValue: Int) {
    self.init()
    self.badgeValue = badgeValue
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    _ = try await container.send(SetBadge.self, SetBadge.Request(value: started.badgeValue))
  }

  override func conclude(with failure: CKError?) { started.modifyBadgeCompletionBlock?(failure) }
}
