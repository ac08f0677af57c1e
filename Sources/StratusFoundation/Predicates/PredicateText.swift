import Foundation

/// Prints a predicate in the format language.
struct PredicateText {
  /// Whether constants and keys are collected as arguments. The printed format can then be parsed
  /// again with these arguments.
  private let collectsArguments: Bool
  private(set) var text = ""
  private(set) var arguments: [Any?] = []

  /// The reserved words of the format language. A field with such a name needs a `#` before its
  /// name.
  static let reserved: Set<String> = [
    "AND", "OR", "NOT", "ANY", "SOME", "ALL", "NONE", "IN", "LIKE", "MATCHES", "CONTAINS",
    "BEGINSWITH", "ENDSWITH", "BETWEEN", "TOKENMATCHES",
  ]

  private static let reservedAlone: Set<String> = [
    "TRUE", "FALSE", "YES", "NO", "NULL", "NIL", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
  ]

  /// Returns the predicate as Apple's `predicateFormat` prints it.
  static func text(of predicate: ParsedPredicate) -> String {
    var writer = PredicateText(collectsArguments: false)
    writer.write(predicate)
    return writer.text
  }

  /// Returns one side of a comparison as `predicateFormat` prints it.
  static func text(of term: PredicateTerm) -> String {
    var writer = PredicateText(collectsArguments: false)
    writer.write(term)
    return writer.text
  }

  /// Returns the predicate as a format and the format's arguments.
  static func template(of predicate: ParsedPredicate) -> (format: String, arguments: [Any?]) {
    var writer = PredicateText(collectsArguments: true)
    writer.write(predicate)
    return (writer.text, writer.arguments)
  }

  private init(collectsArguments: Bool) { self.collectsArguments = collectsArguments }

  private mutating func write(_ predicate: ParsedPredicate) {
    switch predicate {
    case .truth(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
    case .comparison(let comparison): write(comparison)
    case .and(let parts): write(parts, joinedBy: " AND ", ifEmpty: "TRUEPREDICATE")
    case .or(let parts): write(parts, joinedBy: " OR ", ifEmpty: "FALSEPREDICATE")
    case .not(let part):
      text += "NOT "
      writeBracketed(part)
    case .unreadable(let problem): text += problem.format
    case .opaque(let predicate):
      text += "BLOCKPREDICATE"
      if collectsArguments { arguments.append(predicate) }
    }
  }

  private mutating func write(
    _ parts: [ParsedPredicate], joinedBy separator: String, ifEmpty: String
  ) {
    if parts.isEmpty { text += ifEmpty }
    if parts.count == 1 { return write(parts[0]) }
    for (index, part) in parts.enumerated() {
      if index > 0 { text += separator }
      writeBracketed(part)
    }
  }

  /// Writes the predicate, in parentheses if it has several parts.
  private mutating func writeBracketed(_ predicate: ParsedPredicate) {
    switch predicate {
    case .and(let parts) where parts.count > 1, .or(let parts) where parts.count > 1:
      text += "("
      write(predicate)
      text += ")"
    case .truth, .comparison, .and, .or, .not, .unreadable, .opaque: write(predicate)
    }
  }

  private mutating func write(_ comparison: PredicateComparison) {
    if comparison.quantity != .direct { text += comparison.quantity.rawValue + " " }
    write(comparison.left)
    text += " \(comparison.relation.rawValue)\(comparison.options.text) "
    write(comparison.right)
  }

  private mutating func write(_ term: PredicateTerm) {
    switch term {
    case .constant(let value): write(constant: value)
    case .keyPath(let path):
      if collectsArguments {
        text += "%K"
        arguments.append(path)
      } else {
        text += Self.escaped(path)
      }
    case .evaluatedObject: text += "SELF"
    case .variable(let name): text += "$" + name
    case .aggregate(let terms): write(terms, in: ("{", "}"))
    case .function(let name, let arguments): write(function: name, arguments)
    case .member(let whole, let key):
      writeOperand(whole)
      text += "." + key
    case .subquery(let collection, let variable, let predicate):
      text += "SUBQUERY("
      write(collection)
      text += ", $\(variable), "
      write(predicate)
      text += ")"
    }
  }

  private mutating func write(_ terms: [PredicateTerm], in brackets: (String, String)) {
    text += brackets.0
    for (index, term) in terms.enumerated() {
      if index > 0 { text += ", " }
      write(term)
    }
    text += brackets.1
  }

  private mutating func write(function name: String, _ arguments: [PredicateTerm]) {
    if let symbol = PredicateTerm.arithmetic[name], arguments.count == 2 {
      writeOperand(arguments[0])
      text += " \(symbol) "
      writeOperand(arguments[1])
    } else if name == "objectFrom:withIndex:", arguments.count == 2 {
      writeOperand(arguments[0])
      text += "["
      write(arguments[1])
      text += "]"
    } else {
      text += name
      write(arguments, in: ("(", ")"))
    }
  }

  /// Writes the term, in parentheses if it is an arithmetic operation.
  private mutating func writeOperand(_ term: PredicateTerm) {
    guard case .function(let name, _) = term, PredicateTerm.arithmetic[name] != nil else {
      return write(term)
    }
    text += "("
    write(term)
    text += ")"
  }

  private mutating func write(constant value: Any?) {
    guard collectsArguments else {
      text += Self.literal(value)
      return
    }
    guard let value = PredicateValues.present(value) else {
      text += "nil"
      return
    }
    text += "%@"
    arguments.append(value)
  }

  private static func escaped(_ path: String) -> String {
    let word = path.uppercased()
    return reserved.contains(word) || reservedAlone.contains(word) ? "#" + path : path
  }

  /// Returns the literal of a value, or its description if it has no literal.
  static func literal(_ value: Any?) -> String {
    if let elements = PredicateValues.list(value) {
      return "{" + elements.map(literal).joined(separator: ", ") + "}"
    }
    switch PredicateValues.object(value) {
    case let text as NSString: return quoted(String(describing: text))
    case let number as NSNumber: return digits(number)
    case let date as NSDate:
      return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")"
    case let object?: return object.description
    case nil:
      guard let value = PredicateValues.present(value) else { return "nil" }
      return String(describing: value)
    }
  }

  /// Prints a number as Apple's framework does.
  ///
  /// NB: Foundation on Linux prints Booleans as words, and a `Double` with a whole value as `2.0`.
  /// Apple's framework prints `1` and `2`.
  private static func digits(_ number: NSNumber) -> String {
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "c"): return number.int8Value.description
    case UInt8(ascii: "f"), UInt8(ascii: "d"):
      guard abs(number.doubleValue) < 1e15, let whole = Int64(exactly: number.doubleValue) else {
        return number.description
      }
      return whole.description
    case _: return number.description
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case _: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
