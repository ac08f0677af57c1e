public import Foundation
public import StratusFoundation

/// What can stand in a field of a record, in Swift's types and in Foundation's.
public protocol CKRecordValueProtocol {}

/// The objects fields are kept as.
///
/// NB: Swift's own types do not conform: existing code extends this protocol with members that
/// Swift's types have too.
public protocol __CKRecordObjCValue: CKRecordValueProtocol, NSObjectProtocol {}

/// Apple's older name for what can stand in a field.
///
/// Choice: the wider of the two protocols, so that `"text" as CKRecordValue` compiles as it does
/// on Apple's systems, where Swift's types turn into Foundation's by themselves.
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
