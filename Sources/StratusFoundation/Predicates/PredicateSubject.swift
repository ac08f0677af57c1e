/// An object whose values predicates and sort descriptors read by key. Records conform.
///
/// On Apple's systems `NSObject` provides this, but on Linux `NSObject` has no key-value coding.
public protocol PredicateSubject {
  /// The value of a field or property; nil if there is none.
  func value(forKey key: String) -> Any?
}
