public import Foundation

/// A sort descriptor that names its key, as `NSSortDescriptor(key:ascending:)` makes it.
///
/// NB: what the class above wants of a key path is never asked for: `compare` is overridden.
final class KeySortDescriptor: NSSortDescriptor {
  let namedKey: String?

  init(key: String?, ascending: Bool) {
    namedKey = key
    super.init(keyPath: \NSString.length, ascending: ascending)
  }

  override func compare(_ first: Any, to second: Any) -> ComparisonResult {
    let values = [first, second].map { object in
      guard let namedKey else { return PredicateValues.present(object) }
      return PredicateEvaluation.value(at: namedKey, of: object)
    }
    let result: ComparisonResult
    switch (values[0], values[1]) {
    case (nil, nil): result = .orderedSame
    case (nil, _): result = .orderedAscending
    case (_, nil): result = .orderedDescending
    case (let first, let second): result = PredicateValues.order(first, second) ?? .orderedSame
    }
    return ascending ? result : ComparisonResult(rawValue: -result.rawValue) ?? result
  }

  override var reversedSortDescriptor: Any {
    KeySortDescriptor(key: namedKey, ascending: !ascending)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? KeySortDescriptor else { return false }
    return other.namedKey == namedKey && other.ascending == ascending
  }

  override var hash: Int { namedKey.hashValue }

  override var description: String {
    "(\(namedKey ?? "SELF"), \(ascending ? "ascending" : "descending"))"
  }
}

/// What gives `NSSortDescriptor` its initialiser by key; an implementation detail.
///
/// NB: not bound to classes, else an initialiser could not choose the object it returns.
public protocol _SortKeyReading {}

extension NSSortDescriptor: _SortKeyReading {}

extension _SortKeyReading {
  /// An order by the value of a field; nil: by the values themselves.
  public init(key: String?, ascending: Bool) {
    guard let descriptor = KeySortDescriptor(key: key, ascending: ascending) as? Self else {
      preconditionFailure("\(Self.self) has no initialiser of a key")
    }
    self = descriptor
  }

  /// Sort descriptors can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived sort descriptor; nil if it names no key.
  public init?(coder: NSCoder) {
    guard coder.containsValue(forKey: SortKey.key),
      let key = coder.decodeObject(of: NSString.self, forKey: SortKey.key)
    else { return nil }
    let descriptor = KeySortDescriptor(
      key: String(describing: key), ascending: coder.decodeBool(forKey: SortKey.isAscending))
    guard let descriptor = descriptor as? Self else { return nil }
    self = descriptor
  }
}

private enum SortKey {
  static let key = "NSKey"
  static let isAscending = "NSAscending"
}

extension NSSortDescriptor {
  /// The name of the field; nil for an order by key path, comparator or the values themselves.
  public var key: String? { (self as? KeySortDescriptor)?.namedKey }
}

/// Choice: Foundation on Linux cannot archive sort descriptors. One without a key is archived as
/// nothing.
extension NSSortDescriptor: @retroactive NSSecureCoding {
  public func encode(with coder: NSCoder) {
    if let key { coder.encode(key as NSString, forKey: SortKey.key) }
    coder.encode(ascending, forKey: SortKey.isAscending)
  }
}
