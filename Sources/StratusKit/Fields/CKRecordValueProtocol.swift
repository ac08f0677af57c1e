public import Foundation
public import StratusFoundation

/// A type of Swift or Foundation whose values a record's field can hold.
public protocol CKRecordValueProtocol {}

/// An object in which a record stores a field's value.
///
/// NB: Swift's own types do not conform, because existing code extends this protocol with members
/// that Swift's own types already have.
public protocol __CKRecordObjCValue: CKRecordValueProtocol, NSObjectProtocol {}

/// Apple's older name for a value that a field can hold.
///
/// Choice: the alias stands for the wider of the two protocols, so that `"text" as CKRecordValue`
/// compiles. On Apple's systems, it compiles because Swift's types are bridged to Foundation's
/// implicitly.
public typealias CKRecordValue = CKRecordValueProtocol

extension NSString: __CKRecordObjCValue {}
extension NSNumber: __CKRecordObjCValue {}
extension NSDate: __CKRecordObjCValue {}
extension NSData: __CKRecordObjCValue {}
extension NSArray: __CKRecordObjCValue {}
extension CLLocation: __CKRecordObjCValue {}
extension CKReference: __CKRecordObjCValue {}

extension String: CKRecordValueProtocol {}
extension Bool: CKRecordValueProtocol {}
extension Int: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}
extension Float: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
