import Foundation
import StratusFoundation

/// A value as a record keeps it: an immutable Foundation object, so that casts off a subscript
/// behave as on Apple's systems.
typealias StoredValue = any NSObject & __CKRecordObjCValue

/// Turns what apps set into what records keep.
enum StoredValues {
  /// The object to keep; nil if the value is of no kind a field can hold.
  ///
  /// Swift's own types become Foundation's by the cast, as they do on Apple's systems.
  static func make(from value: Any) -> StoredValue? {
    // NB: those set most are told by their types: the cast looks for the way there each time.
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

  /// The object to keep; nil if it is of no kind a field can hold.
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

  /// A list of values of one kind, lists excepted.
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

  /// What a list is a list of.
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
