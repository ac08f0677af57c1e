import Foundation
import StratusFoundation
import StratusWire

/// Provides the initialiser of notifications. This protocol is an implementation detail.
///
/// NB: the protocol is not restricted to classes. Otherwise the initialiser could not assign an
/// object to `self`.
public protocol _RemoteNotificationReading {}

extension CKNotification: _RemoteNotificationReading {}

extension _RemoteNotificationReading {
  /// Makes the notification that a payload describes. Its class is ``CKQueryNotification``,
  /// ``CKRecordZoneNotification`` or ``CKDatabaseNotification``, or the base class if the payload
  /// reports no change.
  ///
  /// - Returns: nil if the payload does not come from CloudKit, or if its notification does not
  ///   have the requested class.
  public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
    var writer = JSONWriter(reserving: 1_024)
    writer.write(payload: notificationDictionary)
    guard let payload = try? NotificationPayload(jsonBytes: writer.bytes),
      let notification = CKNotification.make(payload) as? Self
    else { return nil }
    self = notification
  }
}

extension JSONWriter {
  /// Writes a payload value as JSON. The value comes from the app, so it may have any type. A value
  /// without a JSON form becomes null.
  fileprivate mutating func write(payload value: Any, depth: Int = 0) {
    // The limit is deeper than any real payload, and protects the stack.
    guard depth < 32 else { return null() }
    switch value {
    case let text as String: string(text)
    case let number as NSNumber: write(number)
    case let elements as [Any]:
      array { writer in
        for element in elements { writer.write(payload: element, depth: depth + 1) }
      }
    case let members as [AnyHashable: Any]:
      object { writer in
        for (key, value) in members {
          guard let key = key.base as? String else { continue }
          writer.key(key)
          writer.write(payload: value, depth: depth + 1)
        }
      }
    case _: null()
    }
  }

  private mutating func write(_ number: NSNumber) {
    if let whole = Int64(exactly: number) {
      int(whole)
    } else if number.doubleValue.isFinite {
      double(number.doubleValue)
    } else {
      null()
    }
  }
}

extension PlainValue {
  /// The object that a record stores for this value.
  func stored(in zoneID: CKRecordZone.ID) -> StoredValue {
    switch self {
    case .string(let text): NSString(string: text)
    case .int64(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .location(let latitude, let longitude):
      CLLocation(wire: Location(latitude: latitude, longitude: longitude))
    case .reference(let recordName):
      CKReference(recordID: CKRecordID(recordName: recordName, zoneID: zoneID), action: .none)
    }
  }
}

extension CKRecordZoneID {
  /// Makes a zone ID from a payload. If the payload's recipient owns the zone, the ID's owner name
  /// is `CKCurrentUserDefaultName`.
  convenience init(_ zoneID: ZoneID, in payload: NotificationPayload) {
    let naming = UserNaming(currentUserRecordName: payload.userRecordName)
    self.init(wire: zoneID, naming: naming)
  }
}

extension CKDatabase.Scope {
  init(_ wire: DatabaseScope) {
    self =
      switch wire {
      case .public: .public
      case .private: .private
      case .shared: .shared
      }
  }
}
