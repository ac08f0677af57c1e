public import Foundation

extension NSSortDescriptor {
  /// Creates a descriptor that sorts by an optional value. Objects without a value come first in
  /// ascending order, and last in descending order.
  ///
  /// On Linux, Foundation accepts only key paths of values that are not optional.
  public convenience init<Root, Value: Comparable>(
    keyPath: KeyPath<Root, Value?>, ascending: Bool
  ) {
    self.init(keyPath: keyPath, ascending: ascending) { first, second in
      switch (first as? Value, second as? Value) {
      case (nil, nil): .orderedSame
      case (nil, _): .orderedAscending
      case (_, nil): .orderedDescending
      case (let first?, let second?):
        first < second ? .orderedAscending : second < first ? .orderedDescending : .orderedSame
      }
    }
  }
}
