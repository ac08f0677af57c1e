/// A step of a sign-in that the server remembers, because a later step needs it, or because it must
/// not happen twice.
public struct SignInStep: Sendable, Hashable {
  /// The kind of a step. A search for one kind never finds a step of another kind.
  public enum Kind: String, Sendable, CaseIterable {
    /// A device that waits for its user. The hash is that of the device's code.
    case device
    /// The code that the user of a device types. The hash is that of this code.
    case userCode = "user code"
    /// A challenge or a request that was answered, and must not be answered again.
    case used
  }

  public var kind: Kind
  /// SHA-256 of the secret by which the step is found.
  public var hash: [UInt8]
  /// The address of the client that began the step, in the form under which the limits count its
  /// requests (see ``Caller/subscriber``). It is empty if the address is unknown.
  public var subscriber: String
  /// The contents of the step. They are sealed.
  public var sealedState: [UInt8]
  /// The time when the step ends, in milliseconds since 1970 UTC.
  public var endsAt: Int64

  public init(
    kind: Kind, hash: [UInt8], subscriber: String = "", sealedState: [UInt8] = [], endsAt: Int64
  ) {
    self.kind = kind
    self.hash = hash
    self.subscriber = subscriber
    self.sealedState = sealedState
    self.endsAt = endsAt
  }
}

/// The maximum numbers of steps of one kind.
public struct SignInStepBounds: Sendable, Hashable {
  public var countMax: Int
  /// The maximum number of steps of one subscriber.
  public var countPerSubscriberMax: Int

  public init(countMax: Int, countPerSubscriberMax: Int) {
    self.countMax = countMax
    self.countPerSubscriberMax = countPerSubscriberMax
  }
}

/// Stores the steps of sign-ins that are not finished.
public protocol SignInStepRegistry: Sendable {
  /// Stores steps, in one transaction.
  ///
  /// - Parameters:
  ///   - bounds: the maximum numbers of steps of each kind, including the new ones. Steps that have
  ///     ended are not counted. nil means that there is no maximum.
  ///   - now: the present time, in milliseconds since 1970 UTC.
  /// - Returns: false if there is a step of the same kind with the same hash, or if there are too
  ///   many steps. Then nothing changes.
  func create(
    _ steps: [SignInStep], within bounds: SignInStepBounds?, at now: Int64
  ) async throws(ServerError) -> Bool

  /// Returns a step, or nil if there is none. The step may have expired.
  func signInStep(
    _ kind: SignInStep.Kind, hash: [UInt8]
  ) async throws(ServerError) -> SignInStep?

  /// Replaces the contents of a step.
  ///
  /// - Returns: false if the step does not exist any more, or if its contents have changed. Then
  ///   nothing changes.
  func replace(_ step: SignInStep, by sealedState: [UInt8]) async throws(ServerError) -> Bool

  /// Removes a step whose contents have not changed.
  ///
  /// - Returns: false if the step does not exist any more, or if its contents have changed.
  func delete(_ step: SignInStep) async throws(ServerError) -> Bool

  /// Removes the steps that ended before a time.
  func deleteSignInSteps(endedBefore time: Int64) async throws(ServerError)
}
