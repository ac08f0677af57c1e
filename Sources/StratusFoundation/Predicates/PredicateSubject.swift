/// An object whose values predicates and sort descriptors can read by key, such as a record.
///
/// On Apple's systems, `NSObject` has key-value coding for this purpose. On Linux, it does not.
public protocol PredicateSubject {
  /// Returns the value of a field or property, or nil if there is none.
  func value(forKey key: String) -> Any?
}
