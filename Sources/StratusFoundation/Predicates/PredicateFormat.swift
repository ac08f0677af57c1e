package import Foundation

/// Parses Apple's predicate format language.
package enum PredicateFormat {
  /// Parses a format. Parsing never fails: the result of an invalid format is an unreadable
  /// predicate.
  package static func parse(_ format: String, arguments: [Any?]) -> ParsedPredicate {
    do throws(PredicateProblem) {
      var parser = try PredicateParser(format: format, arguments: arguments)
      return try parser.predicate()
    } catch {
      return .unreadable(error)
    }
  }

  /// Parses a format into a predicate of a certain class.
  ///
  /// NB: for a class that the format does not need, as in `NSCompoundPredicate(format: "a == 1")`,
  /// the result is a compound with one part. Any other wrong class is a programmer error.
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

/// Declares the initialisers of `NSPredicate` that take formats; an implementation detail.
///
/// NB: not restricted to classes. In a protocol for classes, the initialiser could not choose the
/// object it returns.
public protocol _PredicateFormatReading {}

extension NSPredicate: _PredicateFormatReading {}

extension _PredicateFormatReading {
  /// Makes a predicate from a format such as `"title == %@ AND n > %d"`.
  ///
  /// Choice: Apple's framework raises an exception for an invalid format. Here the predicate is
  /// never true, and a query rejects it with the reason.
  public init(format predicateFormat: String, _ arguments: any CVarArg...) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments, as: Self.self)
  }

  /// Makes a predicate from a format and its arguments; `NSNull` means no value.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments ?? [], as: Self.self)
  }
}
