/// `records/query`: finds the records of one type that meet the conditions of a query.
public enum QueryRecords: Endpoint {
  public static let path = "records/query"

  public struct Request: JSONWritable, JSONReadable {
    public var query: Query
    /// The zone to search. nil means the default zone, unless ``isZoneWide`` is set.
    public var zoneID: ZoneID?
    /// Whether to search all zones of the database. The flag is ignored if the request names a
    /// zone.
    public var isZoneWide: Bool
    /// The maximum number of records in the answer. nil means the server's default.
    public var resultsLimit: Int?
    /// The `continuationMarker` of the answer with the previous page. The rest of the request must
    /// be the same as for the previous page.
    public var continuationMarker: String?
    public var selection: FieldSelection
    /// Whether each page contains only the number of its matching records, without the records.
    /// This option is an extension of Stratus, and works only in containers whose operator allows
    /// extensions.
    public var countsOnly: Bool
    /// Whether to explain how the server answers the query. Apple's service has no such option.
    public var explains: Bool

    public init(
      query: Query, zoneID: ZoneID?, isZoneWide: Bool = false, resultsLimit: Int? = nil,
      continuationMarker: String? = nil, selection: FieldSelection = .all,
      countsOnly: Bool = false, explains: Bool = false
    ) {
      self.query = query
      self.zoneID = zoneID
      self.isZoneWide = isZoneWide
      self.resultsLimit = resultsLimit
      self.continuationMarker = continuationMarker
      self.selection = selection
      self.countsOnly = countsOnly
      self.explains = explains
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("query", query)
        writer.member("zoneID", zoneID)
        if isZoneWide { writer.member("zoneWide", true) }
        writer.member("resultsLimit", resultsLimit.map(Int64.init))
        writer.member("continuationMarker", continuationMarker)
        selection.writeMembers(to: &writer)
        if countsOnly { writer.member("countOnly", true) }
        if explains { writer.member("explain", true) }
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let query = json["query"] else { throw .missing("query") }
      self.query = try Query(json: query)
      zoneID = try json.optional("zoneID")
      isZoneWide = try json.optionalBool("zoneWide") ?? false
      resultsLimit = try json.resultsLimit()
      continuationMarker = try json.optionalString("continuationMarker")
      selection = try FieldSelection(json: json)
      countsOnly = try json.optionalBool("countOnly") ?? false
      explains = try json.optionalBool("explain") ?? false
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var records: [RecordItem]
    /// The position at which the next page begins. nil means that this was the last page.
    public var continuationMarker: String?
    /// The newest change token. It is present only if the request has `getCurrentSyncToken`.
    public var syncToken: String?
    /// The number of matching records on this page. It is present only with ``Request/countsOnly``.
    public var count: Int64?
    /// The description of how the query was answered. It is present only with ``Request/explains``.
    public var explanation: QueryExplanation?

    public init(
      records: [RecordItem], continuationMarker: String? = nil, syncToken: String? = nil,
      count: Int64? = nil, explanation: QueryExplanation? = nil
    ) {
      self.records = records
      self.continuationMarker = continuationMarker
      self.syncToken = syncToken
      self.count = count
      self.explanation = explanation
    }

    /// The approximate length of the JSON text, in bytes.
    public var expectedByteCount: Int { records.reduce(512) { $0 + $1.expectedByteCount } }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("records", array: records)
        writer.member("continuationMarker", continuationMarker)
        writer.member("syncToken", syncToken)
        writer.member("count", count)
        writer.member("explanation", explanation)
      }
    }

    public init(json: JSONView) throws(WireError) {
      records = try json.requiredArray("records")
      continuationMarker = try json.optionalString("continuationMarker")
      syncToken = try json.optionalString("syncToken")
      count = json["count"]?.int64
      explanation = try json.optional("explanation")
    }
  }
}

/// Explains how the server answered one page of a query.
public struct QueryExplanation: Sendable, Hashable {
  /// The kind of query plan as one word: `scan`, `merge`, `gather`, `nearest` or `walk`. It is
  /// `nothing` if the server answered without a plan.
  public var plan: String
  /// The columns of the index that the query reads, for example `status, dueDate descending`.
  public var index: String
  /// The number of index ranges that the query reads.
  public var ranges: Int64
  /// The filters that are checked on each record, because the index does not answer them.
  public var remainingFilters: [String]
  public var entriesRead: Int64
  public var recordsRead: Int64

  public init(
    plan: String, index: String, ranges: Int64, remainingFilters: [String], entriesRead: Int64,
    recordsRead: Int64
  ) {
    self.plan = plan
    self.index = index
    self.ranges = ranges
    self.remainingFilters = remainingFilters
    self.entriesRead = entriesRead
    self.recordsRead = recordsRead
  }
}

extension QueryExplanation: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("plan", plan)
      writer.member("index", index)
      writer.member("ranges", ranges)
      writer.member("remainingFilters", strings: remainingFilters)
      writer.member("entriesRead", entriesRead)
      writer.member("recordsRead", recordsRead)
    }
  }

  public init(json: JSONView) throws(WireError) {
    plan = try json.requiredString("plan")
    index = try json.requiredString("index")
    ranges = json["ranges"]?.int64 ?? 0
    remainingFilters = try json.strings("remainingFilters") ?? []
    entriesRead = json["entriesRead"]?.int64 ?? 0
    recordsRead = json["recordsRead"]?.int64 ?? 0
  }
}
