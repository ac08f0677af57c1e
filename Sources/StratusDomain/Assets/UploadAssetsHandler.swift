import StratusWire

/// Answers `assets/upload` with a URL for each file.
struct UploadAssetsHandler: EndpointHandler {
  typealias Endpoint = UploadAssets

  let databases: DatabaseAccess
  let ambient: Ambient

  func answer(
    _ request: UploadAssets.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> UploadAssets.Response {
    let (database, zone) = try await databases.open(
      address, for: caller, fields: request.fields, zoneID: request.zoneID)
    let user = try caller.requireUser()
    try await check(request.fields, in: zone, of: database)
    let links = database.assets(of: zone.database)
    return UploadAssets.Response(
      targets: request.fields.map { field in
        UploadAssets.Target(
          recordName: field.recordName ?? ambient.makeUUID(), fieldName: field.fieldName,
          url: links.uploadURL(id: ambient.makeUUID(), for: user))
      })
  }

  /// Refuses a file before its bytes are sent, if the caller's permissions or the schema would not
  /// allow the later save.
  private func check(
    _ fields: [AssetFieldID], in zone: ZoneAddress, of database: OpenDatabase
  ) async throws(ServerError) {
    try await database.store.read { (store) throws(ServerError) in
      let schema = try store.schema()
      var access = try database.access(to: zone, of: store)
      let names = fields.compactMap(\.recordName)
      try access.findHierarchies(of: names, in: store)
      let records = try store.readableRecords(named: names, access)
      for field in fields {
        let stored = field.recordName.flatMap { records[$0] }
        if let name = field.recordName, stored == nil { try Naming.checkRecordName(name) }
        let type = stored?.type ?? field.recordType
        let isAllowed =
          if let stored { access.allows(.write, stored, schema: schema) } else {
            access.allowsCreation(of: type, schema: schema)
          }
        if !isAllowed { throw ServerError(.accessDenied, Reason.accessDenied) }
        try check(field, recordType: type, schema, database.environment)
      }
    }
  }

  /// - Parameter recordType: the record's type, or nil if it is not known before the save.
  private func check(
    _ field: AssetFieldID, recordType: String?, _ schema: Schema,
    _ environment: ContainerEnvironment
  ) throws(ServerError) {
    try Naming.checkFieldName(field.fieldName)
    guard let recordType else { return }
    if recordType != UserRecords.recordType { try Naming.checkRecordType(recordType) }
    let type = schema.recordTypes[recordType]
    if let known = type?.fields[field.fieldName]?.type {
      guard known.element == .asset, !known.isEncrypted else {
        throw .badRequest(
          "invalid attempt to set value type ASSETID for field '\(field.fieldName)', "
            + "defined to be: \(known.schemaName)")
      }
      return
    }
    if environment == .development { return }
    guard type != nil else {
      throw .lacking(
        ProductionLack(recordType: recordType, kind: .recordType), in: environment,
        "Cannot create new type '\(recordType)' in production schema")
    }
    throw .lacking(
      ProductionLack(recordType: recordType, kind: .field, name: field.fieldName), in: environment,
      "Cannot create new field '\(field.fieldName)' in type '\(recordType)' in production schema")
  }
}
