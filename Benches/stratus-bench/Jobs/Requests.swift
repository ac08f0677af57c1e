import StratusWire

/// Creates the bytes of requests to a database.
struct Requests: Sendable {
  /// The tokens as the query of a URL.
  let query: String
  let container: String
  /// The database: `private`, `public` or `shared`.
  var database = "private"
  /// The user record name of the owner of the zones, or nil for the user's own zones.
  var owner: String?

  func request<Kind: Endpoint>(
    _ kind: Kind.Type, _ request: Kind.Request
  ) -> RequestTemplate {
    RequestTemplate(
      path: "/database/1/\(container)/development/\(database)/\(Kind.path)?\(query)",
      body: request.jsonBytes)
  }

  /// Returns a request that creates a zone.
  func createZone(_ zone: String) -> RequestTemplate {
    let operation = ModifyZones.Operation(.create, ZoneID(zoneName: zone))
    return request(ModifyZones.self, .init(operations: [operation]))
  }

  /// Returns a request that saves this number of new records each time it is sent.
  func saving(_ count: Int, zone: String) throws -> RequestTemplate {
    let fields = try JSONView(parsing: SampleRecord.fields.text)
    let operation = RecordOperation(
      .create, recordName: RecordName.placeholder, recordType: SampleRecord.recordType,
      fields: fields)
    return saving(Array(repeating: operation, count: count), zone: zone)
  }

  /// Returns a request with these operations as an atomic batch.
  func saving(_ operations: [RecordOperation], zone: String) -> RequestTemplate {
    request(
      ModifyRecords.self,
      .init(zoneID: ZoneID(zoneName: zone), operations: operations, isAtomic: true))
  }

  /// Returns a request that queries records by their fields.
  func query(_ query: Query, zone: String, limit: Int?) -> RequestTemplate {
    request(
      QueryRecords.self,
      .init(query: query, zoneID: ZoneID(zoneName: zone), resultsLimit: limit))
  }

  /// Returns a request for an upload URL.
  func upload(_ field: AssetFieldID, zone: String) -> RequestTemplate {
    request(UploadAssets.self, .init(zoneID: ZoneID(zoneName: zone), fields: [field]))
  }

  /// Returns a request that looks up the record with this name.
  func lookup(_ name: String, zone: String) -> RequestTemplate {
    request(LookupRecords.self, .init(zoneID: ZoneID(zoneName: zone), recordNames: [name]))
  }

  /// Returns a request that looks up one record. Each time it is sent, it contains another name.
  func lookup(zone: String) -> RequestTemplate {
    request(
      LookupRecords.self,
      .init(zoneID: ZoneID(zoneName: zone), recordNames: [RecordName.placeholder]))
  }

  /// Returns a request that fetches the changes of a zone.
  func changes(zone: String, since token: String?) -> RequestTemplate {
    request(
      FetchZoneChanges.self,
      .init(zones: [
        .init(zoneID: ZoneID(zoneName: zone, ownerRecordName: owner), syncToken: token)
      ]))
  }
}
