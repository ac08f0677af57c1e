import Foundation
import StratusFoundation
import StratusWire

/// A field in the form that a save sends.
enum OutgoingField {
  case value(FieldValue)
  /// Files. The files that the server does not have yet are uploaded before the save.
  case assets([CKAsset], isList: Bool)
  /// An empty list of unknown type. If the server has a list in this field, that list becomes
  /// empty.
  case emptyList
  case removed

  /// - Throws: `CKError.invalidArguments` for a number or time that the wire format cannot
  ///   represent.
  init(_ object: StoredValue?, key: String, zoneID: ZoneID) throws(CKError) {
    guard let object else {
      self = .removed
      return
    }
    // NB: a cast from a class type is faster than a cast from a protocol type.
    switch object as NSObject {
    case let array as NSArray where array.count == 0:
      self = .emptyList
      return
    case let array as NSArray where array.firstObject is CKAsset:
      self = .assets(array.compactMap { $0 as? CKAsset }, isList: true)
      return
    case let asset as CKAsset:
      self = .assets([asset], isList: false)
      return
    default: break
    }
    guard let value = FieldValue(object, zoneID: zoneID) else {
      throw CKError(
        .invalidArguments,
        description: "the value of field '\(key)' is not finite, or is too large")
    }
    self = .value(value)
  }

  /// NB: this method does not write fields with files. They are written later, with the receipts
  /// from the server.
  func write(key: String, to writer: inout JSONWriter) {
    if case .assets = self { return }
    writer.key(key)
    switch self {
    case .value(let value): value.writeField(to: &writer)
    case .assets: return
    case .emptyList:
      writer.object { writer in
        writer.key("value")
        writer.array { _ in }
        writer.key("type")
        writer.string("UNKNOWN_LIST")
      }
    case .removed:
      writer.object { writer in
        writer.key("value")
        writer.null()
      }
    }
  }
}

extension FieldValue {
  /// Makes the wire value for a record's object; nil if the object cannot be sent.
  ///
  /// - Parameter zoneID: the record's zone. References to records of this zone are sent without a
  ///   zone ID.
  init?(_ object: NSObject, zoneID: ZoneID) {
    switch object {
    case let value as NSString: self = .string(String(describing: value))
    case let value as NSNumber: self.init(number: value)
    case let value as NSDate: self.init(date: value)
    case let value as NSData: self = .bytes([UInt8](Data(referencing: value)))
    case let value as CLLocation: self.init(location: value)
    case let value as CKReference: self.init(reference: value, zoneID: zoneID)
    case let value as NSArray: self.init(list: value, zoneID: zoneID)
    default: return nil
    }
  }

  private init?(number: NSNumber) {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      guard number.doubleValue.isFinite else { return nil }
      self = .double(number.doubleValue)
    case UInt8(ascii: "Q"):
      guard let value = Int64(exactly: number.uint64Value) else { return nil }
      self = .int64(value)
    default: self = .int64(number.int64Value)
    }
  }

  private init?(date: NSDate) {
    guard let time = Timestamp(referenceSeconds: date.timeIntervalSinceReferenceDate) else {
      return nil
    }
    self = .timestamp(time)
  }

  private init?(location: CLLocation) {
    var value = Location(
      latitude: location.coordinate.latitude, longitude: location.coordinate.longitude)
    value.horizontalAccuracy = location.horizontalAccuracy
    value.verticalAccuracy = location.verticalAccuracy
    value.altitude = location.altitude
    value.speed = location.speed
    value.course = location.course
    let numbers = [
      value.latitude, value.longitude, location.horizontalAccuracy, location.verticalAccuracy,
      location.altitude, location.speed, location.course,
    ]
    let seconds = location.timestamp.timeIntervalSinceReferenceDate
    guard numbers.allSatisfy(\.isFinite), let timestamp = Timestamp(referenceSeconds: seconds)
    else { return nil }
    value.timestamp = timestamp
    self = .location(value)
  }

  private init(reference: CKReference, zoneID: ZoneID) {
    let target = reference.recordID.zoneID.wire
    let action: Reference.Action =
      switch reference.action {
      case .none: .none
      case .deleteSelf: .deleteSelf
      }
    self = .reference(
      Reference(
        recordName: reference.recordID.recordName, zoneID: target == zoneID ? nil : target,
        action: action))
  }

  /// A list that contains a floating-point number becomes a list of floating-point numbers.
  private init?(list: NSArray, zoneID: ZoneID) {
    var values: [FieldValue] = []
    values.reserveCapacity(list.count)
    for element in list {
      guard let object = StoredValues.make(from: element),
        let value = FieldValue(object, zoneID: zoneID)
      else { return nil }
      values.append(value)
    }
    if values.contains(where: { $0.type.element == .double }) {
      values = values.map { value in
        if case .int64(let whole) = value { .double(Double(whole)) } else { value }
      }
    }
    guard let element = values.first?.type.element else { return nil }
    self = .list(element, values)
  }
}
