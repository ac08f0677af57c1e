/// The type, conditions and order of the requested records.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*, query dictionary.
public struct Query: Sendable, Hashable {
  public var recordType: String
  /// The conditions. A record must meet all of them. Without filters, the query finds all records
  /// of the type.
  public var filters: [QueryFilter]
  /// The sort keys. The first one has priority. Without sorts, the server chooses the order of the
  /// records.
  public var sorts: [QuerySort]

  public init(recordType: String, filters: [QueryFilter] = [], sorts: [QuerySort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }
}

/// One sort key of a query.
public struct QuerySort: Sendable, Hashable {
  public var key: QueryKey
  public var isAscending: Bool
  /// The location for a sort by distance: records are sorted by their distance to this location.
  public var relativeLocation: Location?

  public init(_ key: QueryKey, isAscending: Bool = true, relativeLocation: Location? = nil) {
    self.key = key
    self.isAscending = isAscending
    self.relativeLocation = relativeLocation
  }
}

extension Query: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("recordType", recordType)
      writer.member("filterBy", array: filters)
      writer.member("sortBy", array: sorts)
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("query")
    recordType = try json.requiredString("recordType")
    filters = try json.array("filterBy")
    sorts = try json.array("sortBy")
  }
}

extension QuerySort: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      key.writeMember(to: &writer)
      writer.member("ascending", isAscending)
      writer.member("relativeLocation", relativeLocation)
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("a sort")
    guard let key = try QueryKey.optional(json) else { throw .missing("fieldName") }
    self.key = key
    isAscending = try json.optionalBool("ascending") ?? true
    relativeLocation = try json.optional("relativeLocation")
  }
}
