import Foundation
import StratusFoundation
import StratusWire

/// What gives notifications their initialiser; an implementation detail.
///
/// NB: not bound to classes, else an initialiser could not choose the object it returns.
public protocol _RemoteNotificationReading {}

extension CKNotification: _RemoteNotificationReading {}

extension _RemoteNotificationReading {
  /// The notification that a payload describes, of the class that fits it: a
  /// ``CKQueryNotification``, ``CKRecordZoneNotification`` or ``CKDatabaseNotification``, or a
  /// plain one if it says of no change.
  ///
  /// - Returns: nil where the payload does not come from CloudKit, or describes another class than
  ///   the one that is made.
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
  /// Writes what JSON can say of a value that an app was handed, or that somebody wrote by hand;
  /// null for all else.
  fileprivate mutating func write(payload value: Any, depth: Int = 0) {
    // Deeper than any payload, and no reason to run out of stack.
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
  /// The object a record would keep for it.
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
  /// A zone that a payload names; the recipient's own is the current user's.
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
