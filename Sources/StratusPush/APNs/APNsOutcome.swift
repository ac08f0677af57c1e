import StratusWire

/// The result of sending a notification to Apple's push service.
public enum APNsOutcome: Sendable, Hashable {
  /// Apple has it.
  case delivered
  /// There is no such device, or no longer.
  case deviceGone
  /// Apple will never take this one.
  case refused(reason: String)
  /// Another time for this device.
  ///
  /// - Parameter afterSeconds: no sooner; nil: Apple did not say.
  case later(afterSeconds: Int?, reason: String)
  /// Another time for all devices: the service cannot be reached, or says that it is down.
  ///
  /// - Parameter afterSeconds: as above.
  case serviceDown(afterSeconds: Int?, reason: String)
  /// Nothing is taken from this server before its operator has mended something.
  case senderRefused(reason: String)

  /// Source: Apple, *Handling notification responses from APNs*.
  ///
  /// Choice: what Apple says about the sender and not about the notification (its key, its topic)
  /// keeps the notification, since it can be delivered once that is mended.
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
