import StratusWire

/// Sends requests to a database in their wire form.
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

  /// Saves new records, with a number of records in each request.
  func saving(_ count: Int, zone: String) throws -> RequestTemplate {
    let fields = try JSONView(parsing: SampleRecord.fields.text)
    let operation = RecordOperation(
      .create, recordName: RecordName.placeholder, recordType: SampleRecord.recordType,
      fields: fields)
    return saving(Array(repeating: operation, count: count), zone: zone)
  }

  /// Sends operations as an atomic batch.
  func saving(_ operations: [RecordOperation], zone: String) -> RequestTemplate {
    request(
      ModifyRecords.self,
      .init(zoneID: ZoneID(zoneName: zone), operations: operations, isAtomic: true))
  }

  /// Queries records by their fields.
  func query(_ query: Query, zone: String, limit: Int?) -> RequestTemplate {
    request(
      QueryRecords.self,
      .init(query: query, zoneID: ZoneID(zoneName: zone), resultsLimit: limit))
  }

  /// Asks for an upload URL.
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

  /// Fetches the changes of a zone.
  func changes(zone: String, since token: String?) -> RequestTemplate {
    request(
      FetchZoneChanges.self,
      .init(zones: [.init(zoneID: ZoneID(zoneName: zone), syncToken: token)]))
  }
}
