import StratusWire

/// The zones that a query searches, and the caller's role in them.
struct QueryArea: Sendable {
  /// The database that stores the zones.
  let database: DatabaseKey
  /// The zone to search, or nil to search all zones of the database.
  let zone: StoredZone?
  let role: ZoneRole
  let policy: AccessPolicy
  /// The access to the zone, or nil if the query searches all zones of a database.
  var access: ZoneAccess?

  /// The roots of the shared hierarchies whose records the caller sees, or nil if the caller sees
  /// all records that the filters match.
  var hierarchies: Set<ExactName>? {
    guard let participation = access?.participation, !participation.showsZone else { return nil }
    return Set(participation.rootNames.map(ExactName.init))
  }

  func readable(_ recordType: String, schema: Schema) -> ReadableRecords {
    policy.readableRecords(ofType: recordType, schema: schema, as: role)
  }
}

extension CheckedQuery {
  /// Restricts the query to records that the caller may read, so that neither a page nor a count
  /// reveals other records.
  ///
  /// - Throws: `ACCESS_DENIED` if the caller may not read any record of the type.
  mutating func restrict(to readable: ReadableRecords) throws(ServerError) {
    switch readable {
    // `PageBuilder` leaves out the records of other hierarchies.
    case .all, .inHierarchies: return
    case .createdBy(let user):
      filters.append(
        .condition(
          QueryCondition(
            source: .system(.creator), test: .oneOf([.text(Array(user.utf8))]), text: "readable")))
    case .none: throw ServerError(.accessDenied, Reason.accessDenied)
    }
  }
}
