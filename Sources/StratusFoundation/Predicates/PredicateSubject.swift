/// What predicates and sort descriptors can look into by key; records are.
///
/// Apple's systems have this from `NSObject`, which knows no key-value coding on Linux.
public protocol PredicateSubject {
  /// The value of a field or property; nil if there is none.
  func value(forKey key: String) -> Any?
}
