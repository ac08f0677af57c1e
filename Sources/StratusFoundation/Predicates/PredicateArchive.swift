public import Foundation
import Synchronization

/// The classes that the arguments of an archived predicate may have.
package enum PredicateArchive {
  private static let classes = Mutex<[any (NSObject & NSSecureCoding).Type]>([
    NSString.self, NSNumber.self, NSDate.self, NSData.self, NSUUID.self, NSURL.self,
    CLLocation.self,
  ])

  /// Allows one more class for the arguments of archived predicates.
  package static func allow(_ type: any (NSObject & NSSecureCoding).Type) {
    classes.withLock { $0.append(type) }
  }

  fileprivate static var allowed: [AnyClass] {
    [NSArray.self, NSNull.self] + classes.withLock { $0.map { $0 as AnyClass } }
  }

  fileprivate static let formatKey = "StratusFormat"
  fileprivate static let argumentsKey = "StratusArguments"
  fileprivate static let reasonKey = "StratusProblem"
  fileprivate static let truthKey = "StratusTruth"
}

/// Declares the initialiser of `NSPredicate` that takes a coder. This protocol is an implementation
/// detail.
public protocol _PredicateUnarchiving {}

extension NSPredicate: _PredicateUnarchiving {}

extension _PredicateUnarchiving {
  /// Predicates can be archived securely.
  public static var supportsSecureCoding: Bool { true }

  /// Reads an archived predicate. Returns nil if the predicate does not have the requested class,
  /// or if Stratus did not archive it.
  public init?(coder: NSCoder) {
    guard let parsed = ParsedPredicate(coder: coder) else { return nil }
    guard let predicate = parsed.predicate as? Self else { return nil }
    self = predicate
  }
}

/// Archives a predicate as its format and the arguments of the format.
///
/// Choice: Foundation on Linux cannot archive predicates. A predicate that contains a block is
/// archived as an unreadable predicate. An argument that cannot be archived is replaced by its
/// description.
extension NSPredicate: @retroactive NSSecureCoding {
  public func encode(with coder: NSCoder) {
    let parsed = ParsedPredicate(self)
    switch parsed {
    case .truth(let value): coder.encode(value, forKey: PredicateArchive.truthKey)
    case .unreadable(let problem): problem.encode(with: coder)
    case .comparison, .and, .or, .not, .opaque:
      let (format, arguments) = PredicateText.template(of: parsed)
      guard !parsed.hasBlocks else {
        return PredicateProblem(format: format, reason: "it contains code, which has no archive")
          .encode(with: coder)
      }
      coder.encode(format as NSString, forKey: PredicateArchive.formatKey)
      coder.encode(
        NSArray(array: arguments.map(Self.archivable)), forKey: PredicateArchive.argumentsKey)
    }
  }

  private static func archivable(_ argument: Any?) -> NSObject {
    if let elements = PredicateValues.list(argument) {
      return NSArray(array: elements.map { archivable($0) })
    }
    guard let object = PredicateValues.object(argument) else {
      return argument.map { NSString(string: String(describing: $0)) } ?? NSNull()
    }
    return object is any NSSecureCoding ? object : NSString(string: object.description)
  }
}

extension ParsedPredicate {
  fileprivate init?(coder: NSCoder) {
    if coder.containsValue(forKey: PredicateArchive.truthKey) {
      self = .truth(coder.decodeBool(forKey: PredicateArchive.truthKey))
      return
    }
    guard let format = coder.text(PredicateArchive.formatKey) else { return nil }
    if let reason = coder.text(PredicateArchive.reasonKey) {
      self = .unreadable(PredicateProblem(format: format, reason: reason))
      return
    }
    guard coder.containsValue(forKey: PredicateArchive.argumentsKey) else { return nil }
    let arguments =
      coder.decodeObject(of: PredicateArchive.allowed, forKey: PredicateArchive.argumentsKey)
      as? NSArray
    guard let arguments else { return nil }
    self = PredicateFormat.parse(format, arguments: Array(arguments))
  }

  /// Whether any part of the predicate is a block or unreadable.
  fileprivate var hasBlocks: Bool {
    switch self {
    case .truth, .comparison: false
    case .and(let parts), .or(let parts): parts.contains(where: \.hasBlocks)
    case .not(let part): part.hasBlocks
    case .unreadable, .opaque: true
    }
  }
}

extension PredicateProblem {
  fileprivate func encode(with coder: NSCoder) {
    coder.encode(format as NSString, forKey: PredicateArchive.formatKey)
    coder.encode(reason as NSString, forKey: PredicateArchive.reasonKey)
  }
}

extension NSCoder {
  fileprivate func text(_ key: String) -> String? {
    guard containsValue(forKey: key) else { return nil }
    return decodeObject(of: NSString.self, forKey: key).map { String(describing: $0) }
  }
}
