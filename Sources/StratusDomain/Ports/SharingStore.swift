/// Finds the shared hierarchies of records.
///
/// A record is in the hierarchy of the nearest shared root at or above it.
public protocol HierarchyReading {
  /// The root of the hierarchy that each of these records is in. Records that are in none are left
  /// out.
  func hierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String]
}

/// Reads the shared hierarchies of zones. A store keeps the hierarchy of each record as a
/// ``Passage``.
public protocol SharingReading: HierarchyReading {
  /// The names among these that are roots of shared hierarchies.
  func sharedRoots(among names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName>

  /// The types and parents of the live records with these names.
  func positions(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: RecordPosition]

  /// The passages of some hierarchies, by change number. All passages with one number are returned
  /// together.
  ///
  /// - Parameters:
  ///   - newestFirst: from the upper end down.
  ///   - limit: the maximum number of change numbers.
  func passages(
    in zone: StoredZone, ofHierarchies roots: [String], range: ChangeRange, newestFirst: Bool,
    limit: Int
  ) throws(ServerError) -> [Passage]

  /// The users who have joined a share, in the order of their databases.
  ///
  /// - Parameter root: nil: the share of the whole zone.
  func participants(
    ofShare root: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [String]

  /// Records whose children may be in an outdated hierarchy, over all databases of the store. Those
  /// of deleted zones are left out.
  func unfinishedHierarchies(limit: Int) throws(ServerError) -> [UnfinishedHierarchy]
}

/// Writes the shared hierarchies of zones.
public protocol SharingWriting {
  /// Makes a record the root of a shared hierarchy. The records of the hierarchy get their passages
  /// by change sets.
  func addSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError)

  /// Removes a root. The records of its hierarchy get their passages by change sets.
  func removeSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError)

  /// Stores that the children of a record may be in an outdated hierarchy. It replaces what was
  /// stored for the same record.
  func addUnfinished(_ hierarchy: UnfinishedHierarchy) throws(ServerError)

  /// Removes a finished hierarchy.
  func finish(_ hierarchy: UnfinishedHierarchy) throws(ServerError)
}

/// The place of a record in the zone's hierarchies.
public struct RecordPosition: Sendable, Hashable {
  public var recordType: String
  public var parentName: String?

  public init(recordType: String, parentName: String?) {
    self.recordType = recordType
    self.parentName = parentName
  }
}

/// A record that changed its hierarchy, and whose children have not all followed it yet.
public struct UnfinishedHierarchy: Sendable, Hashable {
  public var zone: StoredZone
  public var parentName: String
  /// The last child that was examined; nil: none yet.
  public var cursor: String?

  public init(zone: StoredZone, parentName: String, cursor: String? = nil) {
    self.zone = zone
    self.parentName = parentName
    self.cursor = cursor
  }
}
