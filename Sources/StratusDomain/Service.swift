public import StratusWire

/// Everything the server answers: the API on one screen.
public struct Service: Sendable {
  /// One handler an endpoint.
  public let handlers: [any EndpointHandler]

  /// What the operator can ask of the stores.
  public let managementHandlers: [any ManagementHandler]

  /// What lies behind upload URLs.
  public let uploads: AssetUploads

  /// What lies behind download URLs.
  public let downloads: AssetDownloads

  /// - Parameters:
  ///   - cascades: hears of stores in which a cascade is left to carry on.
  ///   - zoneWritersMax: see ``LimitSettings/zoneWritersMax``.
  public init(
    stores: any StoreCatalog, containers: any ContainerRegistry, assets: any AssetStore,
    signer: any TicketSigner, ambient: Ambient, cascades: CascadeNudges = CascadeNudges(),
    zoneWritersMax: Int = Limits.zoneWritersMax
  ) {
    let tickets = AssetTickets(signer: signer)
    uploads = AssetUploads(stores: stores, assets: assets, tickets: tickets, ambient: ambient)
    downloads = AssetDownloads(
      stores: stores, assets: assets, tickets: tickets, ambient: ambient)
    managementHandlers = [
      DeploySchemaHandler(stores: stores, containers: containers),
      ConfigureContainerHandler(stores: stores, containers: containers),
    ]
    let databases = DatabaseAccess(
      stores: stores, users: UserRecords(ambient: ambient), tickets: tickets, ambient: ambient)
    handlers = [
      ModifyRecordsHandler(
        databases: databases, ambient: ambient, cascades: cascades,
        writers: ZoneWriters(countMax: zoneWritersMax)),
      LookupRecordsHandler(databases: databases),
      QueryRecordsHandler(databases: databases),
      FetchRecordChangesHandler(databases: databases),
      ListZonesHandler(databases: databases),
      LookupZonesHandler(databases: databases),
      ModifyZonesHandler(databases: databases),
      FetchZonesHandler(databases: databases),
      FetchDatabaseChangesHandler(databases: databases),
      FetchZoneChangesHandler(databases: databases),
      UploadAssetsHandler(databases: databases, ambient: ambient),
      RereferenceAssetsHandler(databases: databases, ambient: ambient),
      FetchCallerHandler(databases: databases),
      FetchCurrentUserHandler(databases: databases),
      FetchKeysHandler(databases: databases),
      RegisterUserKeyHandler(databases: databases),
      WrapZoneKeyHandler(databases: databases),
      ResetKeysHandler(databases: databases),
    ]
  }
}
