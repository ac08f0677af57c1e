package import Foundation

/// Compares values of any type in predicates. The values are converted to the Foundation objects to
/// which Swift bridges them.
package enum PredicateValues {
  /// Returns the unwrapped value, or nil for `NSNull` and for a nil optional.
  package static func present(_ value: Any?) -> Any? {
    guard let value, !(value is NSNull) else { return nil }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional else { return value }
    return mirror.children.first.flatMap { present($0.value) }
  }

  /// Returns the Foundation object of a value, or nil if there is no value or Swift does not bridge
  /// it.
  package static func object(_ value: Any?) -> NSObject? { present(value) as? NSObject }

  /// Returns the elements of an array or set, or nil for any other value.
  package static func list(_ value: Any?) -> [Any]? {
    switch object(value) {
    case let array as NSArray: Array(array)
    case let set as NSSet: set.allObjects
    case let set as NSOrderedSet: Array(set)
    case _: nil
    }
  }

  static func text(_ value: Any?) -> String? {
    (object(value) as? NSString).map { String(describing: $0) }
  }

  /// Returns a number truncated to an integer. An unsigned number that is too large for `Int64`
  /// keeps its type. Returns nil for a value that is not a number, and for a fraction outside the
  /// range of `Int64`.
  static func integer(_ value: Any?) -> Any? {
    switch value {
    case let value as Bool: return Int64(value ? 1 : 0)
    case let value as UInt64: return Int64(exactly: value) ?? value
    case let value as UInt: return Int64(exactly: value) ?? value
    case let value as any BinaryInteger: return Int64(truncatingIfNeeded: value)
    case _: break
    }
    guard let number = value as? NSNumber else { return nil }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      return Int64(exactly: number.doubleValue.rounded(.towardZero))
    case _: return number.int64Value
    }
  }

  /// Whether two values are equal. Numbers are compared by value. Texts are compared byte for byte,
  /// unless an option says otherwise. A missing value equals only another missing value.
  static func areEqual(_ left: Any?, _ right: Any?, options: PredicateOptions = []) -> Bool {
    switch (object(left), object(right)) {
    case (nil, nil): return present(left) == nil && present(right) == nil
    case (nil, _), (_, nil): return false
    case (let left as NSString, let right as NSString):
      return folded(left, options).utf8.elementsEqual(folded(right, options).utf8)
    case (let left?, let right?): return left.isEqual(right)
    }
  }

  /// Returns the order of two values, or nil if they cannot be ordered.
  static func order(
    _ left: Any?, _ right: Any?, options: PredicateOptions = []
  ) -> ComparisonResult? {
    switch (object(left), object(right)) {
    case (let left as NSNumber, let right as NSNumber): return left.compare(right)
    case (let left as NSDate, let right as NSDate):
      let (left, right) = (
        left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate
      )
      return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    case (let left as NSString, let right as NSString):
      let (left, right) = (folded(left, options), folded(right, options))
      if left.utf8.elementsEqual(right.utf8) { return .orderedSame }
      return left.utf8.lexicographicallyPrecedes(right.utf8)
        ? .orderedAscending : .orderedDescending
    case _: return nil
    }
  }

  static func folded(_ text: NSString, _ options: PredicateOptions) -> String {
    folded(String(describing: text), options)
  }

  static func folded(_ text: String, _ options: PredicateOptions) -> String {
    var rules: String.CompareOptions = []
    if options.contains(.caseInsensitive) { rules.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { rules.insert(.diacriticInsensitive) }
    if rules.isEmpty { return text }
    return text.folding(
      options: rules, locale: options.contains(.localeSensitive) ? Locale.current : nil)
  }
}
