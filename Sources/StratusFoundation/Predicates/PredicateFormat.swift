package import Foundation

/// Apple's language of predicates, as text and arguments.
package enum PredicateFormat {
  /// Reads a format; never fails: what cannot be read is kept as unreadable.
  package static func parse(_ format: String, arguments: [Any?]) -> ParsedPredicate {
    do throws(PredicateProblem) {
      var parser = try PredicateParser(format: format, arguments: arguments)
      return try parser.predicate()
    } catch {
      return .unreadable(error)
    }
  }

  /// Reads a format into a predicate that is at least of a certain class.
  ///
  /// NB: a class that the format does not call for, as in `NSCompoundPredicate(format: "a == 1")`,
  /// gets a compound of one; a wrong class beyond that is a programmer's error.
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

/// What gives `NSPredicate` its initialisers of formats; an implementation detail.
///
/// NB: not bound to classes, else an initialiser could not choose the object it returns.
public protocol _PredicateFormatReading {}

extension NSPredicate: _PredicateFormatReading {}

extension _PredicateFormatReading {
  /// A predicate from a format such as `"title == %@ AND n > %d"`.
  ///
  /// Choice: Apple's raises an exception for a format that cannot be read. Here it makes a
  /// predicate that is never true, and that is refused, with the reason, when a query runs.
  public init(format predicateFormat: String, _ arguments: any CVarArg...) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments, as: Self.self)
  }

  /// A predicate from a format and its arguments; `NSNull` stands for no value.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self = PredicateFormat.make(predicateFormat, arguments: arguments ?? [], as: Self.self)
  }
}
