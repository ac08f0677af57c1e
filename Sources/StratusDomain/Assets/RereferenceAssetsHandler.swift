import StratusWire

/// Answers `assets/rereference` with the asset of each requested field, and new receipts.
struct RereferenceAssetsHandler: EndpointHandler {
  typealias Endpoint = RereferenceAssets

  let databases: DatabaseAccess
  let ambient: Ambient

  func answer(
    _ request: RereferenceAssets.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> RereferenceAssets.Response {
    let (database, zone) = try await databases.open(
      address, for: caller, fields: request.fields, zoneID: request.zoneID)
    let now = ambient.now()
    return try await database.store.write { (store) throws(ServerError) in
      let access = try database.access(to: zone, of: store)
      let records = try store.readableRecords(
        named: request.fields.compactMap(\.recordName), access)
      let links = database.assets(of: zone.database)
      var items: [RereferenceAssets.Item] = []
      for field in request.fields {
        do throws(ServerError) {
          let asset = try Self.asset(
            of: field.recordName.flatMap { records[$0] }, field.fieldName)
          items.append(.asset(try Self.referenced(asset, links, of: store, now: now)))
        } catch {
          // NB: an error of the store is not an error of one field. It fails the whole request.
          if error.code == .internalError || error.code == .tryAgainLater { throw error }
          items.append(
            .failure(recordName: field.recordName ?? "", error.dictionary(for: caller)))
        }
      }
      return RereferenceAssets.Response(items: items)
    }
  }

  /// Returns the only asset of a field.
  ///
  /// Choice: a field with several assets is refused, because an item of the answer has only one
  /// asset.
  private static func asset(
    of record: StoredRecord?, _ fieldName: String
  ) throws(ServerError) -> Asset {
    guard let record else { throw ServerError(.notFound, Reason.recordNotFound) }
    let values = record.hasAssets ? try record.fields.storedValues() : []
    let assets = values.first { $0.key == fieldName }?.value.assets ?? []
    guard let asset = assets.first else {
      throw ServerError(.notFound, "Field '\(fieldName)' holds no asset")
    }
    guard assets.count == 1 else {
      throw .badRequest("Field '\(fieldName)' holds several assets")
    }
    return asset
  }

  private static func referenced(
    _ asset: Asset, _ links: AssetLinks, of store: any StoreWriting, now: Int64
  ) throws(ServerError) -> Asset {
    guard let checksum = asset.checksumBytes, var known = try store.asset(checksum: checksum)
    else { throw ServerError(.notFound, Reason.assetNotFound) }
    known.touched = now
    _ = try store.register(known)
    var shown = try links.shown(asset, files: store)
    shown.receipt = links.receipt(for: WholeFile(checksum: checksum, size: known.size))
    return shown
  }
}
