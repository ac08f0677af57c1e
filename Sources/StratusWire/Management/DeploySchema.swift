/// Management: adds the development schema to the production schema. The production schema changes
/// in no other way.
public enum DeploySchema: Endpoint {
  public static let path = "schema/deploy"

  public typealias Request = CreateContainer.Request

  public struct Response: JSONWritable, JSONReadable {
    /// Record types that are new in production.
    public var recordTypes: [String]
    /// Fields that are new in production, as `type.field`.
    public var fields: [String]
    /// Existing production fields that get more indexes, as `type.field WORD`. WORD is the index's
    /// name in the schema language, for example `SORTABLE`.
    public var indexes: [String]

    public init(recordTypes: [String], fields: [String], indexes: [String]) {
      self.recordTypes = recordTypes
      self.fields = fields
      self.indexes = indexes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("recordTypes", strings: recordTypes)
        writer.member("fields", strings: fields)
        writer.member("indexes", strings: indexes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      recordTypes = try json.strings("recordTypes") ?? []
      fields = try json.strings("fields") ?? []
      indexes = try json.strings("indexes") ?? []
    }
  }
}
