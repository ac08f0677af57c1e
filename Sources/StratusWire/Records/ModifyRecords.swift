/// `records/modify`: saves and deletes records.
public enum ModifyRecords: Endpoint {
  public static let path = "records/modify"

  /// Returns the number of operations in the request.
  public static func operationsCount(of request: Request) -> Int { request.operations.count }

  public struct Request: JSONWritable, JSONReadable {
    /// The zone of all records. nil means that each record names its zone, or is in the default
    /// zone.
    public var zoneID: ZoneID?
    public var operations: [RecordOperation]
    /// Whether the request is atomic. nil means that it is atomic if the zone supports atomic
    /// requests.
    public var isAtomic: Bool?
    public var selection: FieldSelection
    /// A token that the server stores with the zone and returns with the zone's changes. Stratus
    /// adds it for `clientChangeTokenData` of `CKModifyRecordsOperation`.
    public var clientChangeToken: String?

    public init(
      zoneID: ZoneID?, operations: [RecordOperation], isAtomic: Bool? = nil,
      selection: FieldSelection = .all, clientChangeToken: String? = nil
    ) {
      self.zoneID = zoneID
      self.operations = operations
      self.isAtomic = isAtomic
      self.selection = selection
      self.clientChangeToken = clientChangeToken
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("zoneID", zoneID)
        writer.member("operations", array: operations)
        writer.member("atomic", isAtomic)
        selection.writeMembers(to: &writer)
        writer.member("clientChangeToken", clientChangeToken)
      }
    }

    public var expectedByteCount: Int {
      operations.reduce(256) { $0 + 256 + ($1.fields?.sizeBytes ?? 0) }
    }

    public init(json: JSONView) throws(WireError) {
      zoneID = try json.optional("zoneID")
      isAtomic = try json.optionalBool("atomic")
      selection = try FieldSelection(json: json)
      clientChangeToken = try json.optionalString("clientChangeToken")
      guard let operations = json["operations"] else { throw .missing("operations") }
      guard operations.isArray else { throw .wrongType("operations", expected: "an array") }
      self.operations = []
      for element in operations.elements {
        self.operations.append(try RecordOperation(json: element.value, outer: selection))
      }
    }
  }

  public typealias Response = RecordsResponse
}
