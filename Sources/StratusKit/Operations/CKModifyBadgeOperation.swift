import StratusWire

/// Sets the number on the app's icon, on all the user's devices: what `shouldBadge` adds to.
///
/// Apple has retired it; a Stratus server keeps the number all the same.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
  /// The number; 0, the default: none is shown.
  public var badgeValue = 0

  /// Called last.
  public var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

  public override init() { super.init() }

  /// Makes an operation that sets the number.
  public convenience init(badgeValue: Int) {
    self.init()
    self.badgeValue = badgeValue
  }

  override func perform() async throws(CKError) {
    _ = try await userCalls.send(SetBadge.self, SetBadge.Request(value: badgeValue))
  }

  override func conclude(with failure: CKError?) { modifyBadgeCompletionBlock?(failure) }

  override func releaseBlocks() { modifyBadgeCompletionBlock = nil }
}
