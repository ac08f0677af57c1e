public import Foundation
public import StratusFoundation

/// A value that a record's field can hold, as a type of Swift or of Foundation.
public protocol CKRecordValueProtocol {}

/// An object in which a record stores a field's value.
///
/// NB: Swift's own types do not conform, because existing code extends this protocol with members
/// that Swift's types also have.
public protocol __CKRecordObjCValue: CKRecordValueProtocol, NSObjectProtocol {}

/// Apple's older name for a value that a field can hold.
///
/// Choice: an alias of the wider of the two protocols. `"text" as CKRecordValue` then compiles as
/// on Apple's systems, which bridge Swift's types to Foundation's implicitly.
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
