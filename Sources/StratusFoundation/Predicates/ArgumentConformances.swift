public import Foundation

/// Allows objects as arguments of a predicate format, as on Apple's systems. A predicate takes the
/// objects themselves and never calls `_cVarArgEncoding`.
///
/// Choice: other functions that take a `CVarArg`, as in `String(format: "%@", date as CVarArg)`,
/// leak the object. Linux has no autorelease pool that could release it.
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
