/// Management: adds the development schema to the production schema, and replaces the grants of
/// production. Nothing else is removed from production.
public enum DeploySchema: Endpoint {
  public static let path = "schema/deploy"

  public typealias Request = CreateContainer.Request

  public struct Response: JSONWritable, JSONReadable {
    /// The record types that are new in production.
    public var recordTypes: [String]
    /// The fields that are new in production, as `type.field`.
    public var fields: [String]
    /// The existing fields that get more indexes in production, as `type.field WORD`. WORD is the
    /// index's name in the schema language, for example `SORTABLE`.
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
