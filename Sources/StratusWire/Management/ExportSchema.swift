/// A request that names a container in one environment.
public struct EnvironmentRequest: JSONWritable, JSONReadable {
  public var containerID: String
  public var environment: ContainerEnvironment

  public init(containerID: String, environment: ContainerEnvironment) {
    self.containerID = containerID
    self.environment = environment
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("containerID", containerID)
      writer.member("environment", environment.rawValue)
    }
  }

  public init(json: JSONView) throws(WireError) {
    containerID = try json.requiredString("containerID")
    environment = try json.environment()
  }
}

/// Management: returns the schema of a container in one environment, as the text of a schema file.
public enum ExportSchema: Endpoint {
  public static let path = "schema/export"

  public typealias Request = EnvironmentRequest

  public struct Response: JSONWritable, JSONReadable {
    /// The text of the schema file, in the layout of Apple's exports.
    public var schema: String

    public init(schema: String) { self.schema = schema }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("schema", schema) }
    }

    public init(json: JSONView) throws(WireError) {
      schema = try json.requiredString("schema")
    }
  }
}

/// Management: replaces the development schema with the production schema, and removes all data of
/// the development environment.
public enum ResetSchema: Endpoint {
  public static let path = "schema/reset"

  public typealias Request = CreateContainer.Request
  public typealias Response = SchemaReport
}
