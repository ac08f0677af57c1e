public import StratusKit

extension TestDevice {
  /// Makes the next matching request fail with one of the framework's errors. The error applies to
  /// the whole call, or to each affected item.
  ///
  /// The server does not receive the request or the affected items. If ``TestRequests/of(_:)``
  /// names a record, only this record gets the error. If the request is atomic, the other records
  /// fail as well. The framework does not retry: the app receives even an error after which the
  /// framework would otherwise retry.
  ///
  /// - Parameters:
  ///   - requests: the requests that match.
  ///   - code: the code of the error.
  ///   - retryAfterSeconds: the value of `CKError.retryAfterSeconds`.
  ///   - times: the number of requests that fail. nil means all requests until ``clearFaults()``.
  public func fail(
    next requests: TestRequests, with code: CKError.Code, retryAfterSeconds: Double? = nil,
    times: Int? = 1
  ) {
    network.faults.add(
      .error(code, retryAfterSeconds: retryAfterSeconds), to: requests, times: times)
  }

  /// Disturbs the next matching request on the network. The framework reacts as usual, and retries
  /// the request if a retry is allowed.
  ///
  /// - Parameters:
  ///   - requests: the requests that match.
  ///   - disturbance: the effect on the request or its answer.
  ///   - times: the number of disturbed requests. nil means all requests until ``clearFaults()``.
  public func disturb(
    next requests: TestRequests, by disturbance: TestDisturbance, times: Int? = 1
  ) {
    network.faults.add(.disturbance(disturbance.kind), to: requests, times: times)
  }

  /// Removes the pending faults, and delivers the notifications that were held back. An offline
  /// device stays offline.
  public func clearFaults() {
    network.faults.clear()
    network.post.clear()
  }

  /// The number of faults that will still affect requests.
  public var pendingFaultsCount: Int { network.faults.count }

  /// Returns the number of matching requests that this device has sent, including lost requests.
  public func requestsCount(_ requests: TestRequests = .any) -> Int {
    network.count(of: requests)
  }
}

/// The faults of notifications to the device.
extension TestDevice {
  /// Drops the next notifications, so that they never arrive.
  public func dropNotifications(next count: Int = 1) { network.post.drop(next: count) }

  /// Delivers each of the next notifications twice.
  public func duplicateNotifications(next count: Int = 1) { network.post.duplicate(next: count) }

  /// Holds back all notifications until ``releaseNotifications()`` is called.
  public func holdNotifications() { network.post.hold() }

  /// Delivers the notifications that ``holdNotifications()`` has held back.
  public func releaseNotifications() { network.post.release() }

  /// Delays the next notifications by a duration on the server's clock.
  public func delayNotifications(next count: Int = 1, by duration: Duration) {
    network.post.delay(next: count, by: duration)
  }
}
