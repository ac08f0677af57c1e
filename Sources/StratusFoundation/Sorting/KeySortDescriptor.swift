public import Foundation

/// A sort descriptor that has a named key and can be archived.
///
/// NB: this is a protocol and not a base class, because the compiler cannot read the method table
/// of a base class in another module.
public protocol KeyedSortDescriptor: NSSortDescriptor {
  /// The name of the field, or nil if the values themselves are sorted.
  var namedKey: String? { get }

  /// Decodes an archived descriptor of this class. Returns nil if the archive is incomplete.
  static func read(from coder: NSCoder) -> NSSortDescriptor?

  /// Archives the descriptor.
  func write(to coder: NSCoder)
}

/// The sort descriptor that `NSSortDescriptor(key:ascending:)` creates.
///
/// NB: the superclass requires a key path. The key path is never used, because `compare` is
/// overridden.
final class KeySortDescriptor: NSSortDescriptor, KeyedSortDescriptor {
  let namedKey: String?

  init(naming key: String?, ascending: Bool) {
    namedKey = key
    super.init(keyPath: \NSString.length, ascending: ascending)
  }

  static func read(from coder: NSCoder) -> NSSortDescriptor? {
    guard coder.containsValue(forKey: SortKey.key),
      let key = coder.decodeObject(of: NSString.self, forKey: SortKey.key)
    else { return nil }
    return KeySortDescriptor(
      naming: String(describing: key), ascending: coder.decodeBool(forKey: SortKey.isAscending))
  }

  func write(to coder: NSCoder) {
    if let namedKey { coder.encode(namedKey as NSString, forKey: SortKey.key) }
    coder.encode(ascending, forKey: SortKey.isAscending)
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
    KeySortDescriptor(naming: namedKey, ascending: !ascending)
  }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? KeySortDescriptor else { return false }
    return other.namedKey == namedKey && other.ascending == ascending
  }

  override var hash: Int { namedKey.hashValue }

  /// Archives contain the name of Apple's class.
  override var classForKeyedArchiver: AnyClass? { NSSortDescriptor.self }

  override var description: String {
    "(\(namedKey ?? "SELF"), \(ascending ? "ascending" : "descending"))"
  }
}

/// Declares the `key` of `NSSortDescriptor` and the initialiser that takes a key. This protocol is
/// an implementation detail.
///
/// NB: this protocol must not be restricted to classes. In a protocol for classes, an initialiser
/// cannot choose the object that it returns.
public protocol _SortKeyReading {}

extension NSSortDescriptor: _SortKeyReading {}

extension _SortKeyReading {
  /// The name of the field. It is nil if the descriptor sorts by a key path, by a comparator or by
  /// the values themselves.
  ///
  /// NB: `key` must not be declared in an extension of the class, because the method table of
  /// Foundation's class has an unavailable `key`. With a second `key`, the compiler would find two
  /// methods of that name in the table of a subclass, and would fail when it optimises an app.
  public var key: String? { (self as? any KeyedSortDescriptor)?.namedKey }

  /// Creates a descriptor that sorts by the values of a field, or by the values themselves if the
  /// key is nil.
  public init(key: String?, ascending: Bool) {
    guard let descriptor = KeySortDescriptor(naming: key, ascending: ascending) as? Self else {
      preconditionFailure("\(Self.self) cannot be created with a key")
    }
    self = descriptor
  }

  /// Sort descriptors can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes an archived sort descriptor. Returns nil if it has no key.
  public init?(coder: NSCoder) {
    let kind = Self.self as? any KeyedSortDescriptor.Type ?? KeySortDescriptor.self
    guard let descriptor = kind.read(from: coder) as? Self else { return nil }
    self = descriptor
  }
}

private enum SortKey {
  static let key = "NSKey"
  static let isAscending = "NSAscending"
}

/// Archives the descriptors that have a key. A descriptor without a key cannot be decoded again.
/// Choice: Foundation on Linux cannot archive sort descriptors.
extension NSSortDescriptor: @retroactive NSSecureCoding {
  public func encode(with coder: NSCoder) {
    (self as? any KeyedSortDescriptor)?.write(to: coder)
  }
}
