import Crypto
import Foundation
import StratusDomain
public import StratusWire

/// One notification for one device, in the form of Apple's push service.
public struct APNsMessage: Sendable {
  /// The token that Apple gave the app: hex digits.
  public var deviceToken: String
  public var environment: ContainerEnvironment
  /// The payload, reduced to the maximum size.
  public let payload: NotificationPayload
  /// The notification's number in the store's queue.
  public var number: Int64
  /// See ``NotificationDraft/coalescingKey``.
  public var coalescingKey: String?
  /// The time until which Apple keeps the notification for an unreachable device; milliseconds
  /// since 1970 UTC.
  public var expiresAt: Int64

  /// - Parameter payload: a payload of any size.
  public init(
    deviceToken: String, environment: ContainerEnvironment, payload: NotificationPayload,
    number: Int64, coalescingKey: String? = nil, expiresAt: Int64
  ) {
    self.deviceToken = deviceToken
    self.environment = environment
    self.payload = payload.pruned(toBytes: NotificationPayload.apnsBytesMax)
    self.number = number
    self.coalescingKey = coalescingKey
    self.expiresAt = expiresAt
  }

  /// Whether the token has the form of Apple's tokens. Only then can it be used in a URL's path.
  var hasPlausibleToken: Bool {
    !deviceToken.isEmpty && deviceToken.utf8.count <= Limits.apnsTokenLengthMax
      && deviceToken.utf8.allSatisfy { UInt8.isLetterOrDigit($0) }
  }

  /// The headers for the delivery, without the authorization.
  ///
  /// Source: Apple, *Sending notification requests to APNs*.
  var headers: [(name: String, value: String)] {
    var headers = [
      ("apns-push-type", isVisible ? "alert" : "background"),
      // NB: Apple refuses priority 10 for a notification that the user does not see.
      ("apns-priority", isVisible ? "10" : "5"),
      ("apns-expiration", String(expiresAt / 1_000)),
      ("apns-id", id),
    ]
    if let collapseID { headers.append(("apns-collapse-id", collapseID)) }
    return headers
  }

  private var isVisible: Bool { payload.presentation.isVisible }

  /// The ID of a notification. It stays the same when the notification is sent again.
  ///
  /// Choice: this is not the ID in the payload. The changes of one request share one ID for all
  /// records and subscriptions, but Apple requires a separate ID for each notification.
  private var id: String {
    let name = "\(payload.notificationID)\n\(number)\n\(deviceToken)"
    var bytes = Array(SHA256.hash(data: Array(name.utf8)).prefix(16))
    // RFC 9562: version 8, for custom UUIDs.
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
      .lowercased()
  }

  /// The key by which a new notification replaces an earlier one on the device. It has at most 64
  /// bytes and is valid in a header.
  ///
  /// Choice: a key that is longer, or has characters other than ASCII, is replaced by its SHA-256
  /// in hex. Apple does not say what happens to such keys.
  private var collapseID: String? {
    guard let coalescingKey else { return nil }
    let prefix = "collapse:"
    let value = coalescingKey.hasPrefix(prefix) ? coalescingKey.dropFirst(prefix.count) : nil
    let id = value.map(String.init) ?? coalescingKey
    let isPlain = id.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    if isPlain, (1...64).contains(id.utf8.count) { return id }
    return SHA256.hash(data: Array(id.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
  }
}
