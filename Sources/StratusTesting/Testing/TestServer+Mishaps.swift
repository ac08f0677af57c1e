public import StratusKit
import StratusServer

/// Faults that affect all devices at once.
extension TestServer {
  /// Whether the server accepts requests. While this property is false, requests fail with
  /// `serviceUnavailable` and a retry time of 30 s.
  public var isAvailable: Bool {
    get { core.isAvailable }
    set { core.isAvailable = newValue }
  }

  /// Expires every change token issued so far, as restoring a backup does. A device that fetches
  /// changes with such a token gets `changeTokenExpired` and must start again with a nil token.
  ///
  /// To expire the tokens of one zone on one device, call
  /// ``TestDevice/fail(next:with:retryAfterSeconds:times:)`` with `.recordZoneChanges.in("Notes")`
  /// and `.changeTokenExpired`.
  ///
  /// - Throws: an error if the server was started with a folder for its data.
  public func expireChangeTokens() throws { try core.composition.renewEpochs() }

  /// Deletes the bytes of every asset. A device without a local copy of an asset gets
  /// `assetNotAvailable` when it fetches the asset.
  ///
  /// - Throws: the server's error.
  public func loseAssets() async throws { try await core.composition.loseAssets() }

  /// Makes the next matching request of any device fail. See
  /// ``TestDevice/fail(next:with:retryAfterSeconds:times:)``.
  public func fail(
    next requests: TestRequests, with code: CKError.Code, retryAfterSeconds: Double? = nil,
    times: Int? = 1
  ) {
    core.faults.add(.error(code, retryAfterSeconds: retryAfterSeconds), to: requests, times: times)
  }

  /// Disturbs the next matching request of any device. See ``TestDevice/disturb(next:by:times:)``.
  public func disturb(
    next requests: TestRequests, by disturbance: TestDisturbance, times: Int? = 1
  ) {
    core.faults.add(.disturbance(disturbance.kind), to: requests, times: times)
  }

  /// Removes the pending faults that affect all devices. Faults of a single device remain.
  public func clearFaults() { core.faults.clear() }
}
