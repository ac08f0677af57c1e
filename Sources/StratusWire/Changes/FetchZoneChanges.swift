/// `changes/zone`: returns the record changes of several zones.
public enum FetchZoneChanges: Endpoint {
  public static let path = "changes/zone"

  /// One zone of the request, and the position in its history to continue from.
  public struct Item: Sendable {
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
  }

  public struct Request: JSONWritable, JSONReadable {
    public var zones: [Item]

    public init(zones: [Item]) { self.zones = zones }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.key("zones")
        writer.array { writer in
          for item in zones {
            writer.object { writer in
              writer.member("zoneID", item.zoneID)
              writer.member("syncToken", item.syncToken)
              item.selection.writeMembers(to: &writer)
            }
          }
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      let outer = try ChangesSelection(json: json)
      let outerToken = try json.optionalString("syncToken")
      guard let zones = json["zones"] else { throw .missing("zones") }
      guard zones.isArray else { throw .wrongType("zones", expected: "an array") }
      self.zones = []
      for element in zones.elements {
        guard let zoneID = element.value["zoneID"] else { throw .missing("zoneID") }
        self.zones.append(
          Item(
            zoneID: try ZoneID(json: zoneID),
            syncToken: try element.value.optionalString("syncToken") ?? outerToken,
            selection: try ChangesSelection(json: element.value, outer: outer)))
      }
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var zones: [ZoneChangesItem]

    public init(zones: [ZoneChangesItem]) { self.zones = zones }

    /// The approximate length of the JSON text, in bytes.
    public var expectedByteCount: Int { zones.reduce(128) { $0 + $1.expectedByteCount } }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("zones", array: zones) }
    }

    public init(json: JSONView) throws(WireError) { zones = try json.requiredArray("zones") }
  }
}

/// One page of a zone's history.
public struct ZoneChanges: Sendable {
  public var zoneID: ZoneID
  public var records: [RecordItem]
  public var syncToken: String
  public var moreComing: Bool
  /// The client change token that was last stored with the zone. See
  /// ``ModifyRecords/Request/clientChangeToken``. Only the owner of the zone gets it.
  public var clientChangeToken: String?
  /// The greatest number of changes that can follow this page. The actual number is smaller if a
  /// record has changed several times. It is nil unless the request asks for it
  /// (``ChangesSelection/countsRemaining``). It is also nil if the newest change comes first, or if
  /// the caller participates in a share of the zone.
  public var remainingCountMax: Int64?

  public init(
    zoneID: ZoneID, records: [RecordItem], syncToken: String, moreComing: Bool,
    clientChangeToken: String? = nil, remainingCountMax: Int64? = nil
  ) {
    self.remainingCountMax = remainingCountMax
    self.zoneID = zoneID
    self.records = records
    self.syncToken = syncToken
    self.moreComing = moreComing
    self.clientChangeToken = clientChangeToken
  }
}

/// The result for one zone of a request.
public enum ZoneChangesItem: Sendable {
  case changes(ZoneChanges)
  case failure(ZoneID, ErrorDictionary)
}

extension ZoneChangesItem: JSONWritable, JSONReadable {
  /// The approximate length of the JSON text, in bytes.
  public var expectedByteCount: Int {
    switch self {
    case .changes(let changes): changes.records.reduce(512) { $0 + $1.expectedByteCount }
    case .failure: 512
    }
  }

  public func write(to writer: inout JSONWriter) {
    switch self {
    case .changes(let changes):
      writer.object { writer in
        writer.member("zoneID", changes.zoneID)
        writer.member("records", array: changes.records)
        writer.member("syncToken", changes.syncToken)
        writer.member("moreComing", changes.moreComing)
        writer.member("clientChangeToken", changes.clientChangeToken)
        writer.member("remainingCountMax", changes.remainingCountMax)
      }
    case .failure(let zoneID, let error): ZoneItem.failure(zoneID, error).write(to: &writer)
    }
  }

  public init(json: JSONView) throws(WireError) {
    guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
    if json["serverErrorCode"] != nil {
      self = .failure(try ZoneID(json: zoneID), try ErrorDictionary(json: json))
      return
    }
    self = .changes(
      ZoneChanges(
        zoneID: try ZoneID(json: zoneID),
        records: try json.requiredArray("records"),
        syncToken: try json.requiredString("syncToken"),
        moreComing: json["moreComing"]?.bool ?? false,
        clientChangeToken: try json.optionalString("clientChangeToken"),
        remainingCountMax: json["remainingCountMax"]?.int64))
  }
}
