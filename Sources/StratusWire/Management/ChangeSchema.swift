/// Management: makes the schema of a container in one environment equal to a schema file, or
/// deploys the development schema to production. The change is made completely or not at all.
public enum ChangeSchema: Endpoint {
  public static let path = "schema/change"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    /// The environment whose schema changes.
    public var environment: ContainerEnvironment
    /// The text of a schema file. nil means that the development schema is deployed to production.
    public var schema: String?
    /// Whether the server only reports what would change.
    public var isDryRun: Bool
    /// Whether the server also refuses a change that removes something, such as indexes,
    /// permissions or values.
    public var isStrict: Bool

    public init(
      containerID: String, environment: ContainerEnvironment, schema: String? = nil,
      isDryRun: Bool = false, isStrict: Bool = false
    ) {
      self.containerID = containerID
      self.environment = environment
      self.schema = schema
      self.isDryRun = isDryRun
      self.isStrict = isStrict
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("schema", schema)
        writer.member("isDryRun", isDryRun)
        writer.member("isStrict", isStrict)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      schema = try json.optionalString("schema")
      isDryRun = try json.optionalBool("isDryRun") ?? false
      isStrict = try json.optionalBool("isStrict") ?? false
    }
  }

  public typealias Response = SchemaReport
}

/// The report about the change of a schema.
public struct SchemaReport: JSONWritable, JSONReadable, Hashable {
  /// A sentence about a part of the schema.
  public struct Message: JSONWritable, JSONReadable, Hashable {
    /// The position in the schema file, counted from 1. It is nil if there is no file. If the file
    /// lacks the part, it is the position of the part's record type, or else the start of the file.
    public var line: Int?
    public var column: Int?
    public var reason: String

    public init(line: Int? = nil, column: Int? = nil, reason: String) {
      self.line = line
      self.column = column
      self.reason = reason
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("line", line.map(Int64.init))
        writer.member("column", column.map(Int64.init))
        writer.member("reason", reason)
      }
    }

    public init(json: JSONView) throws(WireError) {
      line = json["line"]?.int64.flatMap { Int(exactly: $0) }
      column = json["column"]?.int64.flatMap { Int(exactly: $0) }
      reason = try json.requiredString("reason")
    }
  }

  /// The faults of the file. If there are any, the server does not examine the change further.
  public var faults: [Message]
  /// The reasons why the change is refused.
  public var refusals: [Message]
  /// Sentences about each part that an allowed change removes, for example an index, a permission
  /// or the values of a field. Remarks about parts of the file that have little effect follow. In
  /// the answer to a strict request, the sentences about removals are in ``refusals``.
  public var warnings: [Message]
  /// The steps of the change in their order, for example `+ field Note.title STRING QUERYABLE`.
  public var steps: [String]
  /// Whether the schema has changed.
  public var isApplied: Bool

  public init(
    faults: [Message] = [], refusals: [Message] = [], warnings: [Message] = [],
    steps: [String] = [], isApplied: Bool = false
  ) {
    self.faults = faults
    self.refusals = refusals
    self.warnings = warnings
    self.steps = steps
    self.isApplied = isApplied
  }

  /// Whether the file has no faults and the change is not refused.
  public var isValid: Bool { faults.isEmpty && refusals.isEmpty }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("isValid", isValid)
      writer.member("isApplied", isApplied)
      writer.member("faults", array: faults)
      writer.member("refusals", array: refusals)
      writer.member("warnings", array: warnings)
      writer.member("steps", strings: steps)
    }
  }

  public init(json: JSONView) throws(WireError) {
    faults = try json.requiredArray("faults")
    refusals = try json.requiredArray("refusals")
    warnings = try json.requiredArray("warnings")
    steps = try json.strings("steps") ?? []
    isApplied = try json.optionalBool("isApplied") ?? false
  }
}
