/// Management: explains what a user may do with a record of the public database, and why.
///
/// Choice: private and shared databases are not explained, because the answer would reveal which
/// records and shares of a user exist.
public enum ExplainPermissions: Endpoint {
  public static let path = "permissions/explain"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    public var database: DatabaseScope
    /// The record, or nil to ask about a new record.
    public var recordName: String?
    /// The record type. It is required if ``recordName`` is nil.
    public var recordType: String?
    /// The user, or nil for a caller who is not signed in.
    public var userRecordName: String?

    public init(
      containerID: String, environment: ContainerEnvironment, database: DatabaseScope = .public,
      recordName: String? = nil, recordType: String? = nil, userRecordName: String? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.database = database
      self.recordName = recordName
      self.recordType = recordType
      self.userRecordName = userRecordName
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("database", database.rawValue)
        writer.member("recordName", recordName)
        writer.member("recordType", recordType)
        writer.member("userRecordName", userRecordName)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      guard let scope = DatabaseScope(rawValue: try json.requiredString("database")) else {
        throw .wrongType("database", expected: "public, private or shared")
      }
      database = scope
      recordName = try json.optionalString("recordName")
      recordType = try json.optionalString("recordType")
      userRecordName = try json.optionalString("userRecordName")
    }
  }

  /// A role to which the record type grants a verb. The first source may instead say that the
  /// schema does not have the record type.
  public struct Source: JSONWritable, JSONReadable, Hashable {
    /// `grant` for a role, or `schema` for a missing record type.
    public var kind: String
    /// The name of the role, or of the missing record type.
    public var name: String
    /// Whether the user has the role. It is false for a missing record type.
    public var isAllowed: Bool
    public var sentence: String

    public init(kind: String, name: String, isAllowed: Bool, sentence: String) {
      self.kind = kind
      self.name = name
      self.isAllowed = isAllowed
      self.sentence = sentence
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("kind", kind)
        writer.member("name", name)
        writer.member("isAllowed", isAllowed)
        writer.member("sentence", sentence)
      }
    }

    public init(json: JSONView) throws(WireError) {
      kind = try json.requiredString("kind")
      name = try json.requiredString("name")
      isAllowed = try json.optionalBool("isAllowed") ?? false
      sentence = try json.requiredString("sentence")
    }
  }

  /// One thing that a user may or may not do.
  public struct Verb: JSONWritable, JSONReadable, Hashable {
    /// `read`, `create` or `write`.
    public var verb: String
    public var isAllowed: Bool
    public var sentence: String
    public var sources: [Source]

    public init(verb: String, isAllowed: Bool, sentence: String, sources: [Source]) {
      self.verb = verb
      self.isAllowed = isAllowed
      self.sentence = sentence
      self.sources = sources
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("verb", verb)
        writer.member("isAllowed", isAllowed)
        writer.member("sentence", sentence)
        writer.member("sources", array: sources)
      }
    }

    public init(json: JSONView) throws(WireError) {
      verb = try json.requiredString("verb")
      isAllowed = try json.optionalBool("isAllowed") ?? false
      sentence = try json.requiredString("sentence")
      sources = try json.requiredArray("sources")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The record or record type, and the user, in words.
    public var subject: String
    public var verbs: [Verb]

    public init(subject: String, verbs: [Verb]) {
      self.subject = subject
      self.verbs = verbs
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("subject", subject)
        writer.member("verbs", array: verbs)
      }
    }

    public init(json: JSONView) throws(WireError) {
      subject = try json.requiredString("subject")
      verbs = try json.requiredArray("verbs")
    }
  }
}
