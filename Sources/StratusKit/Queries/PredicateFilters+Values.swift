import Foundation
import StratusFoundation
import StratusWire

/// Converts the names and values in one clause of a predicate.
struct PredicateValueTranslation {
  let now: Date
  let naming: UserNaming
  /// The clause that error messages quote.
  let clause: ParsedPredicate

  func refusal(_ reason: String) -> CKError {
    PredicateTranslation.refusal(of: clause, because: reason)
  }

  /// The query key for a field or a property of records.
  func key(_ path: String) throws(CKError) -> QueryKey {
    if let key = QueryKey(property: path) { return key }
    guard !path.contains(".") else {
      throw refusal("the key path '\(path)' leads to a value outside of the record")
    }
    throw refusal("'\(path)' is not a valid field name")
  }

  /// The name of a function in error messages.
  func named(function name: String) -> String {
    switch name {
    case "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "raise:toPower:": "arithmetic"
    case "objectFrom:withIndex:": "elements of lists by their index"
    case _: "function \(name)"
    }
  }

  /// Whether a function's value is known before the query is sent. Two functions have a known
  /// value: `now()`, and a cast of a number to a date, which is the form in which predicates print
  /// dates.
  func isConstant(function name: String, _ arguments: [PredicateTerm]) -> Bool {
    switch (name.lowercased(), arguments.count) {
    case ("now", 0), ("now:", 0): return true
    case ("cast", 2):
      guard case .constant(let type) = arguments[1], type as? String == "NSDate",
        case .constant(let seconds) = arguments[0]
      else { return false }
      return PredicateValues.object(seconds) is NSNumber
    case _: return false
    }
  }

  /// The value of a constant term.
  private func constant(_ term: PredicateTerm) throws(CKError) -> Any? {
    switch term {
    case .constant(let value): return PredicateValues.present(value)
    case .aggregate(let terms):
      var elements: [Any] = []
      for term in terms { elements.append(try constant(term) ?? NSNull()) }
      return elements
    case .function(let name, let arguments) where isConstant(function: name, arguments):
      guard case .constant(let seconds)? = arguments.first,
        let number = PredicateValues.object(seconds) as? NSNumber
      else { return now }
      return Date(timeIntervalSinceReferenceDate: number.doubleValue)
    case .function(let name, _): throw refusal("CloudKit has no \(named(function: name))")
    case .variable(let name): throw refusal("the variable $\(name) has no value")
    case .keyPath, .evaluatedObject: throw refusal("a field can be compared only with a value")
    case .member, .subquery: throw refusal("a query can compare only a record's own fields")
    }
  }

  /// The elements of a list; nil for a single value.
  func elements(_ term: PredicateTerm) throws(CKError) -> [PredicateTerm]? {
    PredicateValues.list(try constant(term))?.map { .constant($0) }
  }

  /// The value of a term: a single value or a list, of any field type.
  func value(_ term: PredicateTerm, for key: QueryKey) throws(CKError) -> FieldValue {
    guard try elements(term) != nil else { return try single(term, for: key) }
    guard let list = try list(term, for: key) else {
      throw refusal("an empty list has no type, so it cannot be compared")
    }
    return list
  }

  /// The value of a term that is not a list.
  func single(_ term: PredicateTerm, for key: QueryKey) throws(CKError) -> FieldValue {
    guard let value = try constant(term) else {
      throw refusal("CloudKit cannot search for fields that have no value")
    }
    if let name = recordName(value) { return .reference(Reference(recordName: known(name, key))) }
    guard let object = StoredValues.make(from: value), !(object is NSArray) else {
      if PredicateValues.list(value) != nil {
        throw refusal("a single value is needed, not a list")
      }
      throw refusal("a value of class \(type(of: value)) cannot be compared with a field")
    }
    if let text = object as? NSString, key.isSystem, key.systemField?.type.element == .reference {
      return .reference(Reference(recordName: known(String(describing: text), key)))
    }
    guard let field = FieldValue(object, zoneID: ZoneID(zoneName: ZoneID.defaultZoneName)) else {
      throw refusal("a number or time in the clause is not finite, or is too large")
    }
    return field
  }

  /// The record name by which references are compared.
  ///
  /// Choice: a record, its ID and a reference to it are equivalent.
  private func recordName(_ value: Any) -> String? {
    switch PredicateValues.object(value) {
    case let reference as CKReference: reference.recordID.recordName
    case let recordID as CKRecordID: recordID.recordName
    case let record as CKRecord: record.recordID.recordName
    case _: nil
    }
  }

  private func known(_ name: String, _ key: QueryKey) -> String {
    key.isSystem ? naming.known(name) : name
  }

  /// A list of values of one type; nil if it is empty.
  func list(_ term: PredicateTerm, for key: QueryKey) throws(CKError) -> FieldValue? {
    guard let elements = try elements(term) else {
      throw refusal("IN needs an array of values or a list field on its right side")
    }
    var values: [FieldValue] = []
    for element in elements { values.append(try single(element, for: key)) }
    if values.contains(where: { $0.type.element == .double }) {
      values = values.map { value in
        if case .int64(let whole) = value { .double(Double(whole)) } else { value }
      }
    }
    guard let element = values.first?.type.element else { return nil }
    guard values.allSatisfy({ $0.type.element == element }) else {
      throw refusal("the values of a list must be of one type")
    }
    return .list(element, values)
  }

  /// The value of a text term.
  func text(_ term: PredicateTerm, for key: QueryKey) throws(CKError) -> FieldValue {
    guard !key.isSystem, case .string(let text) = try single(term, for: key) else {
      throw refusal("this comparison needs a text and a text field")
    }
    return .string(text)
  }

  /// The text whose words a text search looks for.
  func words(_ term: PredicateTerm) throws(CKError) -> String {
    guard let text = try constant(term) as? String else {
      throw refusal("a search for words needs a text")
    }
    return text
  }

  /// A distance in metres.
  func metres(_ term: PredicateTerm) throws(CKError) -> Double {
    guard let number = PredicateValues.object(try constant(term)) as? NSNumber,
      number.doubleValue.isFinite, number.doubleValue >= 0
    else { throw refusal("a distance must be a number of metres") }
    return number.doubleValue
  }
}
