import StratusWire

/// The result of sending a notification to Apple's push service.
public enum APNsOutcome: Sendable, Hashable {
  /// Apple has accepted the notification.
  case delivered
  /// Apple does not know the device's token, or does not accept it for this app.
  case deviceGone
  /// Apple will never accept this notification.
  case refused(reason: String)
  /// Only the delivery to this device must wait before it is tried again.
  ///
  /// - Parameter afterSeconds: the minimum number of seconds to wait, or nil if Apple stated none.
  case later(afterSeconds: Int?, reason: String)
  /// The deliveries to all devices must wait before they are tried again, because the service is
  /// unreachable or reports that it is down.
  ///
  /// - Parameter afterSeconds: the minimum number of seconds to wait, or nil if Apple stated none.
  case serviceDown(afterSeconds: Int?, reason: String)
  /// Apple accepts no notification from this server until the operator has fixed a problem.
  case senderRefused(reason: String)

  /// Source: Apple, *Handling notification responses from APNs*.
  ///
  /// Choice: if an error concerns the sender (its key or its topic), the notification stays in the
  /// queue, because it can be delivered after the problem is fixed.
  init(status: Int, refusal: APNsRefusal?, retryAfterSeconds: Int?) {
    let reason = refusal?.reason ?? "status \(status)"
    self =
      switch (status, reason) {
      case (200, _): .delivered
      case (400, "BadDeviceToken"), (400, "DeviceTokenNotForTopic"), (410, _): .deviceGone
      case (400, "IdleTimeout"): .later(afterSeconds: retryAfterSeconds, reason: reason)
      case (400, "BadTopic"), (400, "MissingTopic"), (400, "TopicDisallowed"), (403, _):
        .senderRefused(reason: reason)
      case (502...504, _): .serviceDown(afterSeconds: retryAfterSeconds, reason: reason)
      case (429, _), (500..., _): .later(afterSeconds: retryAfterSeconds, reason: reason)
      case _: .refused(reason: reason)
      }
  }
}
