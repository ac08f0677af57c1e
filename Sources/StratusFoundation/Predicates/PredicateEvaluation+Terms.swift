import Foundation

/// Evaluates the terms of a predicate.
extension PredicateEvaluation {
  /// Returns the value of a term, or nil if the term has no value or calls an unknown function.
  func value(of term: PredicateTerm) -> Any? {
    switch term {
    case .constant(let value): return value
    case .keyPath(let path): return Self.value(at: path, of: subject)
    case .evaluatedObject: return subject
    case .variable(let name): return bindings[name]
    case .aggregate(let terms):
      return NSArray(array: terms.map { PredicateValues.present(value(of: $0)) ?? NSNull() })
    case .member(let whole, let key): return Self.value(at: key, of: value(of: whole))
    case .function(let name, let arguments): return call(name, arguments.map(value(of:)))
    case .subquery(let collection, let variable, let predicate):
      let elements = PredicateValues.list(value(of: collection)) ?? []
      return NSArray(
        array: elements.filter { element in
          var inner = self
          inner.bindings[variable] = element
          return inner.holds(predicate)
        })
    }
  }

  /// Returns the value at a key path. For a list, this is the list of its elements' values, unless
  /// the key is `@count` or `@sum`.
  static func value(at path: String, of whole: Any?) -> Any? {
    var current = whole
    for key in path.split(separator: ".") {
      guard let value = value(forKey: String(key), of: current) else { return nil }
      current = value
    }
    return PredicateValues.present(current)
  }

  private static func value(forKey key: String, of whole: Any?) -> Any? {
    let whole = PredicateValues.present(whole)
    if let subject = whole as? any PredicateSubject { return subject.value(forKey: key) }
    if let dictionary = whole as? [String: Any] { return dictionary[key] }
    guard let elements = PredicateValues.list(whole) else { return nil }
    let numbers = elements.compactMap { PredicateValues.object($0) as? NSNumber }
    switch key {
    case "@count": return elements.count
    case "@sum": return numbers.reduce(0) { $0 + $1.doubleValue }
    case _:
      return NSArray(array: elements.map { value(forKey: key, of: $0) ?? NSNull() })
    }
  }

  private func call(_ name: String, _ arguments: [Any?]) -> Any? {
    switch (name.lowercased(), arguments.count) {
    case ("now", 0), ("now:", 0): return LocationClock.now
    case ("distancetolocation:fromlocation:", 2):
      guard let from = PredicateValues.object(arguments[0]) as? CLLocation,
        let other = PredicateValues.object(arguments[1]) as? CLLocation
      else { return nil }
      return from.distance(from: other)
    case ("cast", 2): return Self.cast(arguments[0], to: PredicateValues.text(arguments[1]))
    case ("lowercase:", 1), ("lowercase", 1):
      return PredicateValues.text(arguments[0])?.lowercased()
    case ("uppercase:", 1), ("uppercase", 1):
      return PredicateValues.text(arguments[0])?.uppercased()
    case ("objectfrom:withindex:", 2):
      guard let list = PredicateValues.list(arguments[0]),
        let index = (PredicateValues.object(arguments[1]) as? NSNumber)?.intValue,
        list.indices.contains(index)
      else { return nil }
      return list[index]
    case (_, 2): return Self.calculate(name, arguments[0], arguments[1])
    case (_, _): return nil
    }
  }

  private static func cast(_ value: Any?, to type: String?) -> Any? {
    guard type == "NSDate", let number = PredicateValues.object(value) as? NSNumber else {
      return nil
    }
    return NSDate(timeIntervalSinceReferenceDate: number.doubleValue)
  }

  private static func calculate(_ name: String, _ left: Any?, _ right: Any?) -> Any? {
    guard let left = (PredicateValues.object(left) as? NSNumber)?.doubleValue,
      let right = (PredicateValues.object(right) as? NSNumber)?.doubleValue
    else { return nil }
    switch name {
    case "add:to:": return left + right
    case "from:subtract:": return left - right
    case "multiply:by:": return left * right
    case "divide:by:": return left / right
    case "raise:toPower:": return pow(left, right)
    case _: return nil
    }
  }
}
