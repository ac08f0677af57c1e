import Foundation
import StratusFoundation

/// A value as a record stores it: an object such as `NSString` or `CKReference`. Casts of a
/// subscript's result therefore behave as on Apple's systems.
typealias StoredValue = any NSObject & __CKRecordObjCValue

/// Converts the values that apps set into the objects that records store.
enum StoredValues {
  /// Returns the object to store, or nil if a field cannot hold the value.
  ///
  /// Swift's own types are bridged to Foundation's by a cast, as on Apple's systems.
  static func make(from value: Any) -> StoredValue? {
    // NB: common types are tested first, because the general cast repeats a slow lookup each time.
    let type = type(of: value)
    if type == String.self { return (value as? String).map(NSString.init(string:)) }
    if type == Int.self { return (value as? Int).map(NSNumber.init(value:)) }
    if type == Double.self { return (value as? Double).map(NSNumber.init(value:)) }
    if type == Date.self {
      return (value as? Date).map {
        NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate)
      }
    }
    if type == [String].self {
      return (value as? [String]).map { NSArray(array: $0.map(NSString.init(string:))) }
    }
    return (value as? NSObject).flatMap { make(from: $0) }
  }

  /// Returns the object to store, or nil if a field cannot hold the object.
  static func make(from object: NSObject) -> StoredValue? {
    switch object {
    case let value as NSString: type(of: value) == NSString.self ? value : value.copy() as? NSString
    case let value as NSNumber: value
    case let value as NSDate: value
    case let value as NSData: type(of: value) == NSData.self ? value : value.copy() as? NSData
    case let value as NSArray: list(value)
    case let value as CLLocation: value
    case let value as CKReference: value
    case let value as CKAsset: value
    default: nil
    }
  }

  /// Returns the list to store, or nil if the array contains a list or values of several kinds.
  private static func list(_ array: NSArray) -> NSArray? {
    var objects: [StoredValue] = []
    objects.reserveCapacity(array.count)
    var kind: Kind?
    for element in array {
      guard let object = make(from: element), let own = Kind(object), kind ?? own == own
      else { return nil }
      kind = own
      objects.append(object)
    }
    return NSArray(array: objects)
  }

  /// The kind of a list's elements.
  private enum Kind {
    case string, number, date, data, location, reference, asset

    init?(_ object: NSObject) {
      switch object {
      case is NSString: self = .string
      case is NSNumber: self = .number
      case is NSDate: self = .date
      case is NSData: self = .data
      case is CLLocation: self = .location
      case is CKReference: self = .reference
      case is CKAsset: self = .asset
      default: return nil
      }
    }
  }
}
