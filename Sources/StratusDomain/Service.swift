/// Everything the server answers: the API on one screen.
public struct Service: Sendable {
  /// One handler an endpoint.
  public let handlers: [any EndpointHandler]

  public init(stores: any StoreCatalog, ambient: Ambient) {
    let databases = DatabaseAccess(
      stores: stores, users: UserRecords(ambient: ambient))
    handlers = [
      ModifyRecordsHandler(databases: databases, ambient: ambient),
      LookupRecordsHandler(databases: databases),
      FetchRecordChangesHandler(databases: databases),
      ListZonesHandler(databases: databases),
      LookupZonesHandler(databases: databases),
      ModifyZonesHandler(databases: databases),
      FetchZonesHandler(databases: databases),
      FetchDatabaseChangesHandler(databases: databases),
      FetchZoneChangesHandler(databases: databases),
      FetchCallerHandler(databases: databases),
      FetchCurrentUserHandler(databases: databases),
    ]
  }
}
