import Crypto
import Foundation
import StratusDomain
public import StratusWire

/// A notification for one device, in the format of Apple's push service.
public struct APNsMessage: Sendable {
  /// The token that the device's app got from Apple, as hex digits.
  public var deviceToken: String
  public var environment: ContainerEnvironment
  /// The payload, which is reduced to the maximum size.
  public let payload: NotificationPayload
  /// The number of the notification in the user's queue.
  public var number: Int64
  /// See ``NotificationDraft/coalescingKey``.
  public var coalescingKey: String?
  /// The time until which Apple keeps the notification for an unreachable device, in milliseconds
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

  /// Whether the token has the format of Apple's tokens. Only such a token may be used in a URL's
  /// path.
  var hasPlausibleToken: Bool {
    !deviceToken.isEmpty && deviceToken.utf8.count <= Limits.apnsTokenLengthMax
      && deviceToken.utf8.allSatisfy { UInt8.isLetterOrDigit($0) }
  }

  /// The header fields of the request, except the authorization.
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

  /// The ID of a notification. A notification that is sent again has the same ID.
  ///
  /// Choice: this ID is not the ID in the payload. All changes of one request share the ID in the
  /// payload, but Apple requires a different ID for each notification.
  private var id: String {
    let name = "\(payload.notificationID)\n\(number)\n\(deviceToken)"
    var bytes = Array(SHA256.hash(data: Array(name.utf8)).prefix(16))
    // The UUID has version 8, which RFC 9562 defines for custom UUIDs.
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }.uuidString
      .lowercased()
  }

  /// The key with which a new notification replaces an earlier one on the device. It has at most 64
  /// bytes and is valid in a header field.
  ///
  /// Choice: a key that is longer, or not ASCII, is replaced by its SHA-256 hash in hex. Apple does
  /// not document what happens to such keys.
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
