/// Identifies a record's field that contains a file, or that will contain an uploaded file.
public struct AssetFieldID: Sendable, Hashable, JSONWritable, JSONReadable {
  /// The name of the record. If it is nil in `assets/upload`, the server proposes the name of a new
  /// record. A save may use the receipt of the upload in any record of the database.
  public var recordName: String?
  /// The type of the record. It may be nil if the record already exists.
  public var recordType: String?
  public var fieldName: String

  public init(recordName: String?, recordType: String? = nil, fieldName: String) {
    self.recordName = recordName
    self.recordType = recordType
    self.fieldName = fieldName
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("recordName", recordName)
      writer.member("recordType", recordType)
      writer.member("fieldName", fieldName)
    }
  }

  public init(json: JSONView) throws(WireError) {
    recordName = try json.optionalString("recordName")
    recordType = try json.optionalString("recordType")
    fieldName = try json.requiredString("fieldName")
  }
}
