/// A record type, or one of its fields.
public struct SchemaPlace: Sendable, Hashable {
  public var recordType: String
  /// The name of the field, or nil for the record type itself.
  public var field: String?

  public init(_ recordType: String, _ field: String? = nil) {
    self.recordType = recordType
    self.field = field
  }

  /// The place as a text, such as `Note` or `Note.title`.
  public var text: String { field.map { "\(recordType).\($0)" } ?? recordType }

  /// Creates a place from a text such as `Note` or `Note.title`.
  public init(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }
}
