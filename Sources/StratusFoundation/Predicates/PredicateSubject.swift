/// An object, such as a record, from which predicates and sort descriptors can read values by key.
///
/// On Apple's systems, `NSObject` has key-value coding for this purpose. On Linux, it does not.
public protocol PredicateSubject {
  /// Returns the value of a field or property, or nil if there is none.
  func value(forKey key: String) -> Any?
}
