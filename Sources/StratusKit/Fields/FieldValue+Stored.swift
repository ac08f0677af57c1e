import Foundation
import StratusFoundation
import StratusWire

extension FieldValue {
  /// Returns the object that a record stores for a value from a response.
  func stored(in zoneID: CKRecordZone.ID, naming: UserNaming) -> StoredValue {
    switch self {
    case .string(let value): NSString(string: value)
    case .int64(let value): NSNumber(value: value)
    case .double(let value): NSNumber(value: value)
    case .timestamp(let value): NSDate(timeIntervalSinceReferenceDate: value.dateReferenceSeconds)
    case .bytes(let value): NSData(data: Data(value))
    case .location(let value): CLLocation(wire: value)
    case .reference(let value): CKReference(wire: value, zoneID: zoneID, naming: naming)
    case .asset(let value): NSString(string: value.fileChecksum)
    case .sealed(_, let value): NSData(data: Data(value))
    case .list(_, let values):
      NSArray(array: values.map { $0.stored(in: zoneID, naming: naming) })
    }
  }
}

extension CLLocation {
  /// Makes a location from a response. A missing altitude or horizontal accuracy becomes 0. Other
  /// missing numbers become −1, which means that they are unknown. A missing time becomes the
  /// beginning of 1970.
  convenience init(wire: Location) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: wire.latitude, longitude: wire.longitude),
      altitude: wire.altitude ?? 0, horizontalAccuracy: wire.horizontalAccuracy ?? 0,
      verticalAccuracy: wire.verticalAccuracy ?? -1, course: wire.course ?? -1,
      speed: wire.speed ?? -1,
      timestamp: Date(
        timeIntervalSinceReferenceDate: (wire.timestamp ?? Timestamp(0)).dateReferenceSeconds))
  }
}

extension CKReference {
  /// Makes a reference from a response. The action `VALIDATE` becomes `.none`, because the
  /// framework has no such action.
  convenience init(wire: Reference, zoneID: CKRecordZone.ID, naming: UserNaming) {
    let zoneID = wire.zoneID.map { CKRecordZoneID(wire: $0, naming: naming) } ?? zoneID
    let action: CKReferenceAction =
      switch wire.action {
      case .deleteSelf: .deleteSelf
      case .none, .validate: .none
      }
    self.init(recordID: CKRecordID(recordName: wire.recordName, zoneID: zoneID), action: action)
  }
}
