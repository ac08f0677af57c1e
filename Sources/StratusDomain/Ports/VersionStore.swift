/// Reads the earlier states of records.
///
/// While ``ContainerSettings/versionDays`` is set, ``RecordWriting/apply(_:)`` stores a *record
/// version* for each record that it writes: the state that the write replaces, or the fact that
/// there was no record.
public protocol VersionReading {
  /// Returns which versions are stored, or nil if the store keeps no versions and has none left.
  func versionExtent() throws(ServerError) -> VersionExtent?

  /// Returns the addresses of zones that are live, or that were deleted and whose records are still
  /// kept, in the order of databases and names. Each address appears once.
  ///
  /// - Parameters:
  ///   - place: the zone after which the list begins, or nil to begin at the first zone.
  ///   - database: the database of the zones, or nil for the zones of all databases.
  func zonesWithVersions(
    after place: ZoneAddress?, in database: DatabaseKey?, limit: Int
  ) throws(ServerError) -> [ZoneAddress]

  /// Returns the incarnation of a zone that was live at a time. If no zone had the name then,
  /// returns the next zone that got the name; a restore undoes all its changes. Returns nil if no
  /// zone had the name then or later.
  ///
  /// - Parameter time: milliseconds since 1970 UTC. It is not earlier than
  ///   ``VersionExtent/since``.
  func pastZone(at address: ZoneAddress, time: Int64) throws(ServerError) -> PastZone?

  /// Returns the names of records whose state in the past zone may differ from their present state,
  /// in byte order.
  ///
  /// - Parameters:
  ///   - present: the live zone with the same name, or nil if there is none.
  ///   - name: the name after which the list begins, or nil to begin at the first name.
  func pastNames(
    in zone: PastZone, present: StoredZone?, after name: String?, limit: Int
  ) throws(ServerError) -> [String]

  /// Returns the state of a record in a past zone, or nil if there was no record.
  func pastRecord(named name: String, in zone: PastZone) throws(ServerError) -> StoredRecord?
}

/// Begins, bounds and ends the storage of record versions.
public protocol VersionWriting {
  /// Begins to keep versions. Restores can reach back to `time`, in milliseconds since 1970 UTC.
  func beginVersions(at time: Int64) throws(ServerError)

  /// Keeps the records of a zone that was deleted in this transaction, so that a restore can bring
  /// them back. Without this call, they are removed soon.
  func keepRecords(ofDeleted zone: StoredZone, at time: Int64) throws(ServerError)

  /// Stops keeping the records of the deleted zones of a database, for example because its owner's
  /// account is deleted. The records are removed soon.
  func releaseKeptZones(of database: DatabaseKey) throws(ServerError)

  /// Removes the oldest versions and kept zones that exceed a bound.
  ///
  /// - Parameter limit: the maximum number of versions, and of zones, to remove.
  /// - Returns: whether there may be more to remove.
  func trimVersions(_ bounds: VersionBounds, limit: Int) throws(ServerError) -> Bool
}

/// The versions that a store has.
public struct VersionExtent: Sendable, Hashable {
  /// The earliest time that a restore can reach, in milliseconds since 1970 UTC.
  public var since: Int64
  /// The number of versions.
  public var count: Int64
  /// The bytes of the versions' names and fields, of the files that only versions hold, and of the
  /// records of deleted zones.
  public var bytes: Int64
  /// The number of deleted zones whose records are kept.
  public var keptZones: Int64

  public init(since: Int64, count: Int64, bytes: Int64, keptZones: Int64) {
    self.since = since
    self.count = count
    self.bytes = bytes
    self.keptZones = keptZones
  }
}

/// The bounds that ``VersionWriting/trimVersions(_:limit:)`` applies.
public struct VersionBounds: Sendable, Hashable {
  /// Versions of writes before this time are removed, in milliseconds since 1970 UTC. nil means
  /// that all versions are removed, because the store keeps none any more.
  public var time: Int64?
  /// The number of versions to remove, beginning with the oldest, whatever their time.
  public var excessCount: Int64
  /// The bytes to remove, beginning with the oldest version, whatever its time.
  public var excessBytes: Int64

  public init(time: Int64?, excessCount: Int64 = 0, excessBytes: Int64 = 0) {
    self.time = time
    self.excessCount = excessCount
    self.excessBytes = excessBytes
  }
}

/// One incarnation of a zone as it was at an earlier time.
public struct PastZone: Sendable, Hashable {
  /// The row of the zone as it is now.
  public var zone: StoredZone
  /// The number of the first change after the time. This change and all later ones are undone. nil
  /// means that there are none.
  public var firstUndone: Int64?
  /// Whether this incarnation was deleted after the time.
  public var isDeleted: Bool

  public init(zone: StoredZone, firstUndone: Int64?, isDeleted: Bool) {
    self.zone = zone
    self.firstUndone = firstUndone
    self.isDeleted = isDeleted
  }
}
