/// Management: lists the indexes of a container in one environment.
public enum ListIndexes: Endpoint {
  public static let path = "schema/indexes"

  public typealias Request = EnvironmentRequest

  /// One index.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    /// The state that decides whether queries can use the index.
    public enum State: String, Sendable, Hashable {
      /// Every record has its entries in the index.
      case ready
      /// A query builds the index. The build pauses while no query waits for it.
      case building
    }

    /// The number that identifies the index in the store.
    public var id: Int64
    public var recordType: String
    /// The columns in their order, for example `title` and `___modTime descending`.
    public var columns: [String]
    public var state: State
    /// The number of records that are already indexed, at most ``Limits/indexProgressRowsMax``. It
    /// is nil if the index is ready.
    public var rowsDone: Int64?
    /// The number of records that the build has to read, at most ``Limits/indexProgressRowsMax``.
    /// It is nil if the index is ready.
    public var rowsTotal: Int64?
    /// The day of the last use, in days since 1970 UTC. nil means that no use has been recorded
    /// yet.
    public var lastUsedDay: Int64?
    /// The number of queries that read the index since the server was started.
    public var uses: Int64

    public init(
      id: Int64, recordType: String, columns: [String], state: State, rowsDone: Int64? = nil,
      rowsTotal: Int64? = nil, lastUsedDay: Int64? = nil, uses: Int64 = 0
    ) {
      self.id = id
      self.recordType = recordType
      self.columns = columns
      self.state = state
      self.rowsDone = rowsDone
      self.rowsTotal = rowsTotal
      self.lastUsedDay = lastUsedDay
      self.uses = uses
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("id", id)
        writer.member("recordType", recordType)
        writer.member("columns", strings: columns)
        writer.member("state", state.rawValue)
        writer.member("rowsDone", rowsDone)
        writer.member("rowsTotal", rowsTotal)
        writer.member("lastUsedDay", lastUsedDay)
        writer.member("uses", uses)
      }
    }

    public init(json: JSONView) throws(WireError) {
      id = json["id"]?.int64 ?? 0
      recordType = try json.requiredString("recordType")
      columns = try json.strings("columns") ?? []
      guard let state = State(rawValue: try json.requiredString("state")) else {
        throw .wrongType("state", expected: "ready or building")
      }
      self.state = state
      rowsDone = json["rowsDone"]?.int64
      rowsTotal = json["rowsTotal"]?.int64
      lastUsedDay = json["lastUsedDay"]?.int64
      uses = json["uses"]?.int64 ?? 0
    }
  }

  /// Advice about a missing or an unused index.
  public struct Advice: JSONWritable, JSONReadable, Hashable {
    /// The reason for the advice.
    public enum Kind: String, Sendable, Hashable {
      /// Queries ran without any index.
      case noIndex
      /// Queries read many more records than they found.
      case costlyQuery
      /// No query has read an index for a long time.
      case unusedIndex
    }

    public var kind: Kind
    public var recordType: String
    /// The comparator and the field of each filter of the queries, for example `EQUALS title`.
    public var filters: [String]
    /// The fields of the queries' sort order, for example `title descending`.
    public var sorts: [String]
    /// The number of costly queries with these filters and sorts since the server was started.
    public var queries: Int64
    public var recordsRead: Int64
    public var recordsFound: Int64
    /// The number of the unused index.
    public var index: Int64?
    /// The advice and its reason.
    public var sentence: String

    public init(
      kind: Kind, recordType: String, filters: [String] = [], sorts: [String] = [],
      queries: Int64 = 0, recordsRead: Int64 = 0, recordsFound: Int64 = 0, index: Int64? = nil,
      sentence: String
    ) {
      self.kind = kind
      self.recordType = recordType
      self.filters = filters
      self.sorts = sorts
      self.queries = queries
      self.recordsRead = recordsRead
      self.recordsFound = recordsFound
      self.index = index
      self.sentence = sentence
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("kind", kind.rawValue)
        writer.member("recordType", recordType)
        writer.member("filters", strings: filters)
        writer.member("sorts", strings: sorts)
        writer.member("queries", queries)
        writer.member("recordsRead", recordsRead)
        writer.member("recordsFound", recordsFound)
        writer.member("index", index)
        writer.member("sentence", sentence)
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let kind = Kind(rawValue: try json.requiredString("kind")) else {
        throw .wrongType("kind", expected: "noIndex, costlyQuery or unusedIndex")
      }
      self.kind = kind
      recordType = try json.requiredString("recordType")
      filters = try json.strings("filters") ?? []
      sorts = try json.strings("sorts") ?? []
      queries = json["queries"]?.int64 ?? 0
      recordsRead = json["recordsRead"]?.int64 ?? 0
      recordsFound = json["recordsFound"]?.int64 ?? 0
      index = json["index"]?.int64
      sentence = try json.requiredString("sentence")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The indexes, in the order of their numbers.
    public var indexes: [Item]
    /// The advice: first about the most costly queries, then about unused indexes.
    public var advice: [Advice]

    public init(indexes: [Item], advice: [Advice] = []) {
      self.indexes = indexes
      self.advice = advice
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("indexes", array: indexes)
        writer.member("advice", array: advice)
      }
    }

    public init(json: JSONView) throws(WireError) {
      indexes = try json.requiredArray("indexes")
      advice = try json.array("advice")
    }
  }
}

/// Management: drops an index, or cancels its build. The next query that needs the index builds it
/// again.
public enum DropIndex: Endpoint {
  public static let path = "schema/indexes/drop"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The number that identifies the index in the store.
    public var index: Int64
    /// Whether the request cancels the build of an unfinished index. Otherwise it drops a ready
    /// index.
    public var cancelsBuild: Bool

    public init(
      containerID: String, environment: ContainerEnvironment, index: Int64, cancelsBuild: Bool
    ) {
      self.containerID = containerID
      self.environment = environment
      self.index = index
      self.cancelsBuild = cancelsBuild
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("index", index)
        writer.member("cancelsBuild", cancelsBuild)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      guard let index = json["index"]?.int64 else { throw .missing("index") }
      self.index = index
      cancelsBuild = try json.optionalBool("cancelsBuild") ?? false
    }
  }

  public typealias Response = EmptyRequest
}
