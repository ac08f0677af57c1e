public import Foundation

extension NSSortDescriptor {
  /// An order by a value that may be missing; objects without one come first.
  ///
  /// Foundation on Linux takes the key paths of values only that are always there.
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
