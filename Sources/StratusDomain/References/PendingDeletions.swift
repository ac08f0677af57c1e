/// Records that an unfinished cascade will delete.
///
/// Writers see these records as already deleted. An update does not find them. A create makes a new
/// record, which the cascade does not delete. Readers still see the records until the cascade
/// deletes them.
enum PendingDeletions {
  /// Returns those of the names that belong to records whose deletion is pending. Loads a few
  /// records at a time, because there may be many names.
  static func among(
    _ names: [String], in zone: StoredZone, schema: Schema,
    of store: any RecordReading & LinkReading
  ) throws(ServerError) -> Set<ExactName> {
    if names.isEmpty { return [] }
    guard try store.hasUnfinishedCascades(in: zone) else { return [] }
    var pendingDeletions: Set<ExactName> = []
    for start in stride(from: 0, to: names.count, by: CascadeBudget.recordsPerLoad) {
      let part = names[start..<min(start + CascadeBudget.recordsPerLoad, names.count)]
      let records = try store.records(named: Array(part), in: zone)
      pendingDeletions.formUnion(try among(records, in: zone, schema: schema, of: store).keys)
    }
    return pendingDeletions
  }

  /// Returns those of the stored records whose deletion is pending. Each of them already referred
  /// to another record when that record was deleted, and the cascade of that deletion is
  /// unfinished.
  static func among(
    _ records: [ExactName: StoredRecord], in zone: StoredZone, schema: Schema,
    of store: any RecordReading & LinkReading
  ) throws(ServerError) -> [ExactName: StoredRecord] {
    // Most types have no references, and most zones have no unfinished cascade.
    let suspects = records.values.filter {
      $0.type != UserRecords.recordType && schema.recordTypes[$0.type]?.holdsLinksOrAssets ?? true
    }
    guard !suspects.isEmpty, try store.hasUnfinishedCascades(in: zone) else { return [:] }
    var links: [(target: ExactName, record: StoredRecord)] = []
    for record in suspects {
      links += try record.deleteSelfTargets(schema: schema).map { ($0, record) }
    }
    let cascades = try store.unfinishedCascades(of: links.map(\.target.text), in: zone)
    var changes: [ExactName: Int64] = [:]
    for cascade in cascades { changes[ExactName(cascade.target)] = cascade.change }
    var pendingDeletions: [ExactName: StoredRecord] = [:]
    for (target, record) in links {
      guard let change = changes[target], record.change <= change else { continue }
      pendingDeletions[ExactName(record.name)] = record
    }
    return pendingDeletions
  }
}
