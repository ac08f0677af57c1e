/// Management: describes the schema of a container in one environment, or the text of a schema
/// file, as a structure.
public enum DescribeSchema: Endpoint {
  public static let path = "schema/describe"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The text of a schema file. nil means the stored schema.
    public var schema: String?

    public init(containerID: String, environment: ContainerEnvironment, schema: String? = nil) {
      self.containerID = containerID
      self.environment = environment
      self.schema = schema
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("schema", schema)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      schema = try json.optionalString("schema")
    }
  }

  /// A field of a record type.
  public struct Field: JSONWritable, JSONReadable, Hashable {
    public var name: String
    /// The type in the schema language, for example `LIST<STRING>` or `ENCRYPTED BYTES`.
    public var type: String
    /// Whether every record has the field, for example `___createTime`.
    public var isSystem: Bool
    public var isQueryable: Bool
    public var isSortable: Bool
    public var isSearchable: Bool

    public init(
      name: String, type: String, isSystem: Bool, isQueryable: Bool, isSortable: Bool,
      isSearchable: Bool
    ) {
      self.name = name
      self.type = type
      self.isSystem = isSystem
      self.isQueryable = isQueryable
      self.isSortable = isSortable
      self.isSearchable = isSearchable
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("name", name)
        writer.member("type", type)
        writer.member("isSystem", isSystem)
        writer.member("isQueryable", isQueryable)
        writer.member("isSortable", isSortable)
        writer.member("isSearchable", isSearchable)
      }
    }

    public init(json: JSONView) throws(WireError) {
      name = try json.requiredString("name")
      type = try json.requiredString("type")
      isSystem = try json.optionalBool("isSystem") ?? false
      isQueryable = try json.optionalBool("isQueryable") ?? false
      isSortable = try json.optionalBool("isSortable") ?? false
      isSearchable = try json.optionalBool("isSearchable") ?? false
    }
  }

  /// The permissions that a record type grants to a role.
  public struct Grant: JSONWritable, JSONReadable, Hashable {
    public var role: String
    /// Some of `read`, `create` and `write`.
    public var permissions: [String]

    public init(role: String, permissions: [String]) {
      self.role = role
      self.permissions = permissions
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("role", role)
        writer.member("permissions", strings: permissions)
      }
    }

    public init(json: JSONView) throws(WireError) {
      role = try json.requiredString("role")
      permissions = try json.strings("permissions") ?? []
    }
  }

  /// A record type with its fields and grants.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    public var name: String
    public var fields: [Field]
    public var grants: [Grant]

    public init(name: String, fields: [Field], grants: [Grant]) {
      self.name = name
      self.fields = fields
      self.grants = grants
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("name", name)
        writer.member("fields", array: fields)
        writer.member("grants", array: grants)
      }
    }

    public init(json: JSONView) throws(WireError) {
      name = try json.requiredString("name")
      fields = try json.requiredArray("fields")
      grants = try json.requiredArray("grants")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The names of the custom roles.
    public var roles: [String]
    public var recordTypes: [Item]
    /// The faults of the text. If there are any, the lists are empty.
    public var faults: [SchemaReport.Message]

    public init(
      roles: [String] = [], recordTypes: [Item] = [], faults: [SchemaReport.Message] = []
    ) {
      self.roles = roles
      self.recordTypes = recordTypes
      self.faults = faults
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("roles", strings: roles)
        writer.member("recordTypes", array: recordTypes)
        writer.member("faults", array: faults)
      }
    }

    public init(json: JSONView) throws(WireError) {
      roles = try json.strings("roles") ?? []
      recordTypes = try json.requiredArray("recordTypes")
      faults = try json.requiredArray("faults")
    }
  }
}
