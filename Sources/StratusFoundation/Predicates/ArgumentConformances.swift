public import Foundation

/// On Apple's systems these may be arguments of a format; predicates take them as they are.
///
/// Choice: where C asks for one, as in `String(format: "%@", date as CVarArg)`, it gets an object
/// that is not given back, for there is no pool to drain here.
extension NSObject: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(self) }
}

extension Date: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(self as NSDate) }
}

extension Data: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(self as NSData) }
}

extension UUID: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(self as NSUUID) }
}

extension URL: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(self as NSURL) }
}

extension Array: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(NSArray(array: self)) }
}

extension Set: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] { argumentWords(NSSet(array: Array(self))) }
}

extension Dictionary: @retroactive CVarArg {
  public var _cVarArgEncoding: [Int] {
    argumentWords(
      NSDictionary(objects: Array(values), forKeys: keys.map { $0 as? NSObject ?? NSNull() }))
  }
}

private func argumentWords(_ object: AnyObject) -> [Int] {
  [Int(bitPattern: Unmanaged.passRetained(object).toOpaque())]
}
