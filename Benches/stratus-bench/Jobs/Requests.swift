import StratusWire

/// Makes requests to a database, as they go over the wire.
struct Requests: Sendable {
  /// The tokens, as the query of a URL.
  let query: String
  let container: String
  /// `private` or `public`.
  var database = "private"

  func request<Kind: Endpoint>(
    _ kind: Kind.Type, _ request: Kind.Request
  ) -> RequestTemplate {
    RequestTemplate(
      path: "/database/1/\(container)/development/\(database)/\(Kind.path)?\(query)",
      body: request.jsonBytes)
  }

  /// Makes a zone.
  func createZone(_ zone: String) -> RequestTemplate {
    let operation = ModifyZones.Operation(.create, ZoneID(zoneName: zone))
    return request(ModifyZones.self, .init(operations: [operation]))
  }

  /// Saves new records, as many a request as told.
  func saving(_ count: Int, zone: String) throws -> RequestTemplate {
    let fields = try JSONView(parsing: SampleRecord.fields.text)
    let operation = RecordOperation(
      .create, recordName: RecordName.placeholder, recordType: SampleRecord.recordType,
      fields: fields)
    return saving(Array(repeating: operation, count: count), zone: zone)
  }

  /// Carries out operations, all or none.
  func saving(_ operations: [RecordOperation], zone: String) -> RequestTemplate {
    request(
      ModifyRecords.self,
      .init(zoneID: ZoneID(zoneName: zone), operations: operations, isAtomic: true))
  }

  /// Asks for records by what they hold.
  func query(_ query: Query, zone: String, limit: Int?) -> RequestTemplate {
    request(
      QueryRecords.self,
      .init(query: query, zoneID: ZoneID(zoneName: zone), resultsLimit: limit))
  }

  /// Asks where to send a file.
  func upload(_ field: AssetFieldID, zone: String) -> RequestTemplate {
    request(UploadAssets.self, .init(zoneID: ZoneID(zoneName: zone), fields: [field]))
  }

  /// Looks up the record of a name.
  func lookup(_ name: String, zone: String) -> RequestTemplate {
    request(LookupRecords.self, .init(zoneID: ZoneID(zoneName: zone), recordNames: [name]))
  }

  /// Looks up one record.
  func lookup(zone: String) -> RequestTemplate {
    request(
      LookupRecords.self,
      .init(zoneID: ZoneID(zoneName: zone), recordNames: [RecordName.placeholder]))
  }

  /// Asks what happened in a zone.
  func changes(zone: String, since token: String?) -> RequestTemplate {
    request(
      FetchZoneChanges.self,
      .init(zones: [.init(zoneID: ZoneID(zoneName: zone), syncToken: token)]))
  }
}
