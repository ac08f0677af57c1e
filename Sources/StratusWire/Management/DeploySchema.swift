/// Management: brings what development has learnt into the production schema, which nothing else
/// changes.
public enum DeploySchema: Endpoint {
  public static let path = "schema/deploy"

  public typealias Request = CreateContainer.Request

  public struct Response: JSONWritable, JSONReadable {
    /// Record types that are new to production.
    public var recordTypes: [String]
    /// Fields that are new to production, as `type.field`.
    public var fields: [String]
    /// Fields that production had, and may be asked for in more ways, as `type.field WORD`, the
    /// words being those of the schema language.
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
