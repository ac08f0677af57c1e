package import Foundation

/// Parses Apple's predicate format language.
package enum PredicateFormat {
  /// Parses a format. If the format is invalid, the result is an unreadable predicate, so parsing
  /// never fails.
  package static func parse(_ format: String, arguments: [Any?]) -> ParsedPredicate {
    do throws(PredicateProblem) {
      var parser = try PredicateParser(format: format, arguments: arguments)
      return try parser.predicate()
    } catch {
      return .unreadable(error)
    }
  }

  /// Parses a format into a predicate of the wanted class.
  ///
  /// NB: `NSCompoundPredicate(format: "a == 1")` asks for a compound predicate, although the format
  /// describes a comparison. The result is then a compound with one part. Any other wrong class is
  /// a programmer error.
  static func make<Wanted>(
    _ format: String, arguments: [Any?], as wanted: Wanted.Type
  ) -> Wanted {
    let parsed = parse(format, arguments: arguments)
    if let predicate = parsed.predicate as? Wanted { return predicate }
    guard let predicate = FormattedCompoundPredicate(.and, [parsed.predicate]) as? Wanted else {
      preconditionFailure("the format '\(format)' does not describe a \(wanted)")
    }
    return predicate
  }
}

/// Declares the initialisers of `NSPredicate` that take formats. This protocol is an implementation
/// detail.
///
/// NB: this protocol must not be restricted to classes. In a protocol for classes, an initialiser
/// cannot choose the object that it returns.
public protocol _PredicateFormatReading {}

extension NSPredicate: _PredicateFormatReading {}

extension _PredicateFormatReading {
  /// Creates a predicate from a format such as `"title == %@ AND n > %d"`.
  ///
  /// Choice: for an invalid format, Apple's framework raises an exception. In Stratus, the
  /// predicate matches nothing, and a query with it fails with the reason.
  public init(format predicateFormat: String, _ arguments: any CVarArg...) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments, as: Self.self)
  }

  /// Creates a predicate from a format and its arguments. The argument `NSNull` means no value.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments ?? [], as: Self.self)
  }
}
