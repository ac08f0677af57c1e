/// `records/changes`: returns the history of one zone. Apple deprecates this endpoint in favor of
/// `changes/zone`.
public enum FetchRecordChanges: Endpoint {
  public static let path = "records/changes"

  public struct Request: JSONWritable, JSONReadable {
    public var zoneID: ZoneID
    /// The change token to continue from. nil means the beginning of the history.
    public var syncToken: String?
    public var selection: ChangesSelection

    public init(
      zoneID: ZoneID, syncToken: String? = nil, selection: ChangesSelection = ChangesSelection()
    ) {
      self.zoneID = zoneID
      self.syncToken = syncToken
      self.selection = selection
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("syncToken", syncToken)
        selection.writeMembers(to: &writer)
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
      self.zoneID = try ZoneID(json: zoneID)
      syncToken = try json.optionalString("syncToken")
      selection = try ChangesSelection(json: json)
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var records: [RecordItem]
    public var syncToken: String
    public var moreComing: Bool

    public init(records: [RecordItem], syncToken: String, moreComing: Bool) {
      self.records = records
      self.syncToken = syncToken
      self.moreComing = moreComing
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("records", array: records)
        writer.member("syncToken", syncToken)
        writer.member("moreComing", moreComing)
      }
    }

    public init(json: JSONView) throws(WireError) {
      records = try json.requiredArray("records")
      syncToken = try json.requiredString("syncToken")
      moreComing = json["moreComing"]?.bool ?? false
    }
  }
}
