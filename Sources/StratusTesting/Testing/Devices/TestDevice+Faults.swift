public import StratusKit

extension TestDevice {
  /// Has the next request of a kind fail with an error, in the framework's words: the call that
  /// made it ends with this error, or each item that the error befalls.
  ///
  /// The server hears nothing of the request. Where ``TestRequests/of(_:)`` names a record, only
  /// this record fails. An error that the framework would have waited out is handed over, too.
  ///
  /// - Parameters:
  ///   - retryAfterSeconds: for `CKError.retryAfterSeconds`.
  ///   - times: how many requests; nil: all, until ``clearFaults()``.
  public func fail(
    next requests: TestRequests, with code: CKError.Code, retryAfterSeconds: Double? = nil,
    times: Int? = 1
  ) {
    network.faults.add(
      .error(code, retryAfterSeconds: retryAfterSeconds), to: requests, times: times)
  }

  /// Has the network meddle with the next request of a kind. The framework does what it does then:
  /// it repeats what may be repeated.
  ///
  /// - Parameter times: how many requests; nil: all, until ``clearFaults()``.
  public func disturb(
    next requests: TestRequests, by disturbance: TestDisturbance, times: Int? = 1
  ) {
    network.faults.add(.disturbance(disturbance.kind), to: requests, times: times)
  }

  /// Forgets the faults that have not befallen anybody yet. The device stays offline if it is.
  public func clearFaults() {
    network.faults.clear()
    network.post.clear()
  }

  /// Faults that have not befallen all their requests yet.
  public var pendingFaultsCount: Int { network.faults.count }

  /// Requests this device has sent so far, those that did not arrive among them.
  public func requestsCount(_ requests: TestRequests = .any) -> Int {
    network.count(of: requests)
  }
}

/// Notifications on their way to the device.
extension TestDevice {
  /// Has the next notifications never arrive.
  public func dropNotifications(next count: Int = 1) { network.post.drop(next: count) }

  /// Has each of the next notifications arrive twice.
  public func duplicateNotifications(next count: Int = 1) { network.post.duplicate(next: count) }

  /// Keeps notifications back until ``releaseNotifications()``.
  public func holdNotifications() { network.post.hold() }

  /// Lets the notifications arrive that were held.
  public func releaseNotifications() { network.post.release() }

  /// Has the next notifications arrive so much later, by the server's clock.
  public func delayNotifications(next count: Int = 1, by duration: Duration) {
    network.post.delay(next: count, by: duration)
  }
}
