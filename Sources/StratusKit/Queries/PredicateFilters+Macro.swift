public import Foundation
package import StratusFoundation

/// Supports fields in `#Predicate<CKRecord>`, as in `$0["title"] == "x" && ($0["n"] ?? 0) > 3`.
///
/// Choice: this support is an addition of Stratus. On Apple's systems `#Predicate` does not support
/// records. The values in comparisons must be `Codable`, which references are not.
extension PredicateExpressions {
  /// The value of a record's field as a certain type.
  public struct RecordField<FieldValue>: StandardPredicateExpression, Codable, Sendable {
    public typealias Output = FieldValue?

    let record: Variable<CKRecord>
    let name: String

    /// The field's value in the bound record.
    public func evaluate(_ bindings: PredicateBindings) throws -> FieldValue? {
      try record.evaluate(bindings).value(forKey: name) as? FieldValue
    }
  }

  /// A field of a record, as `#Predicate` writes `$0["title"]`.
  public static func build_subscript<FieldValue: CKRecordValueProtocol>(
    _ record: Variable<CKRecord>, _ name: Value<String>
  ) -> RecordField<FieldValue> {
    RecordField(record: record, name: name.value)
  }

  /// A field of a record before a cast, as `#Predicate` writes `$0["title"] as? String`.
  public static func build_subscript(
    _ record: Variable<CKRecord>, _ name: Value<String>
  ) -> RecordField<any CKRecordValueProtocol> {
    RecordField(record: record, name: name.value)
  }
}

extension PredicateExpressions.RecordField: NamedExpression {
  package var meaning: ExpressionMeaning? { .term(.keyPath(name)) }
}

extension CKRecord: PropertyNaming {
  package static func name(of keyPath: AnyKeyPath) -> String? {
    switch keyPath {
    case \CKRecord.creationDate: "creationDate"
    case \CKRecord.modificationDate: "modificationDate"
    case _: nil
    }
  }
}
