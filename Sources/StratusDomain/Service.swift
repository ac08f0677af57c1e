/// Everything the server answers: the API on one screen.
public struct Service: Sendable {
  /// One handler an endpoint.
  public let handlers: [any EndpointHandler]

  /// What the operator can ask of the stores.
  public let managementHandlers: [any ManagementHandler]

  public init(
    stores: any StoreCatalog, containers: any ContainerRegistry, ambient: Ambient
  ) {
    managementHandlers = [
      DeploySchemaHandler(stores: stores, containers: containers),
      ConfigureContainerHandler(stores: stores, containers: containers),
    ]
    let databases = DatabaseAccess(
      stores: stores, users: UserRecords(ambient: ambient))
    handlers = [
      ModifyRecordsHandler(databases: databases, ambient: ambient),
      LookupRecordsHandler(databases: databases),
      QueryRecordsHandler(databases: databases),
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
