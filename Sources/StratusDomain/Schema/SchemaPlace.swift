/// A record type, or one of its fields.
public struct SchemaPlace: Sendable, Hashable {
  public var recordType: String
  /// nil: the record type itself.
  public var field: String?

  public init(_ recordType: String, _ field: String? = nil) {
    self.recordType = recordType
    self.field = field
  }

  /// `Note`, or `Note.title`.
  public var text: String { field.map { "\(recordType).\($0)" } ?? recordType }

  /// Reads `Note` or `Note.title`.
  public init(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    self.init(String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
  }
}
