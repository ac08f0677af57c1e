public import StratusKit
import StratusServer

/// What befalls all devices at once.
extension TestServer {
  /// Whether the server takes requests. While it does not, they fail with `serviceUnavailable`, to
  /// be repeated after 30 s.
  public var isAvailable: Bool {
    get { core.isAvailable }
    set { core.isAvailable = newValue }
  }

  /// Makes every change token that was given out stale, as the restoring of a backup does: whoever
  /// fetches changes since one gets `changeTokenExpired`, and must begin from nil.
  ///
  /// For one zone on one device: `fail(next: .recordZoneChanges.in("Notes"), with:
  /// .changeTokenExpired)`.
  ///
  /// - Throws: if the server's data lies in a folder.
  public func expireChangeTokens() throws { try core.composition.renewEpochs() }

  /// Loses the bytes of every asset: who fetches one that is not on the device gets
  /// `assetNotAvailable`.
  ///
  /// - Throws: what the server throws.
  public func loseAssets() async throws { try await core.composition.loseAssets() }

  /// As on one device, for the next request of any; see
  /// ``TestDevice/fail(next:with:retryAfterSeconds:times:)``.
  public func fail(
    next requests: TestRequests, with code: CKError.Code, retryAfterSeconds: Double? = nil,
    times: Int? = 1
  ) {
    core.faults.add(.error(code, retryAfterSeconds: retryAfterSeconds), to: requests, times: times)
  }

  /// As on one device, for the next request of any; see ``TestDevice/disturb(next:by:times:)``.
  public func disturb(
    next requests: TestRequests, by disturbance: TestDisturbance, times: Int? = 1
  ) {
    core.faults.add(.disturbance(disturbance.kind), to: requests, times: times)
  }

  /// Forgets the faults that have not befallen any device yet, but for those of one device alone.
  public func clearFaults() { core.faults.clear() }
}
