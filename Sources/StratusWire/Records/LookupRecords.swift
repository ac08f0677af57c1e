/// `records/lookup`: finds records by their names.
public enum LookupRecords: Endpoint {
  public static let path = "records/lookup"

  /// One record to look up.
  public struct Item: Sendable {
    public var recordName: String
    /// The zone of the record. It is used only if the request itself names no zone.
    public var zoneID: ZoneID?
    public var selection: FieldSelection

    public init(recordName: String, zoneID: ZoneID? = nil, selection: FieldSelection = .all) {
      self.recordName = recordName
      self.zoneID = zoneID
      self.selection = selection
    }
  }

  public struct Request: JSONWritable, JSONReadable {
    /// The zone of all items. nil means that each item names its zone, or is in the default zone.
    public var zoneID: ZoneID?
    public var items: [Item]
    public var selection: FieldSelection

    public init(zoneID: ZoneID?, recordNames: [String], selection: FieldSelection = .all) {
      self.zoneID = zoneID
      items = recordNames.map { Item(recordName: $0, selection: selection) }
      self.selection = selection
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.key("records")
        writer.array { writer in
          for item in items {
            writer.object { writer in
              writer.member("recordName", item.recordName)
              writer.member("zoneID", item.zoneID)
              if item.selection != selection { item.selection.writeMembers(to: &writer) }
            }
          }
        }
        selection.writeMembers(to: &writer)
      }
    }

    public init(json: JSONView) throws(WireError) {
      zoneID = try json.optional("zoneID")
      selection = try FieldSelection(json: json)
      guard let records = json["records"] else { throw .missing("records") }
      guard records.isArray else { throw .wrongType("records", expected: "an array") }
      items = []
      for element in records.elements {
        items.append(
          Item(
            recordName: try element.value.requiredString("recordName"),
            zoneID: try element.value.optional("zoneID"),
            selection: try FieldSelection(json: element.value, outer: selection)))
      }
    }
  }

  public typealias Response = RecordsResponse
}

/// The answer of the endpoints that look up or modify records. The records have the order of the
/// request.
public struct RecordsResponse: JSONWritable, JSONReadable {
  public var records: [RecordItem]
  /// The newest change token. It is present only if the request has `getCurrentSyncToken`.
  public var syncToken: String?

  public init(records: [RecordItem], syncToken: String? = nil) {
    self.records = records
    self.syncToken = syncToken
  }

  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int { records.reduce(128) { $0 + $1.expectedByteCount } }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("records", array: records)
      writer.member("syncToken", syncToken)
    }
  }

  public init(json: JSONView) throws(WireError) {
    records = try json.requiredArray("records")
    syncToken = try json.optionalString("syncToken")
  }
}
