/// Finds the shared hierarchies of records.
///
/// A record belongs to the hierarchy of its nearest shared root: the record itself, or the first
/// shared root in the chain of its parents.
public protocol HierarchyReading {
  /// Returns, for each record in a hierarchy, the root of that hierarchy. Records without a
  /// hierarchy are left out.
  func hierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String]

  /// Like ``hierarchies(of:in:)``, but leaves out records that are about to leave their hierarchy
  /// because a record above them has left it.
  func readableHierarchies(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: String]
}

/// Reads the shared hierarchies of zones. A store keeps the hierarchy of each record as a
/// ``Passage``.
public protocol SharingReading: HierarchyReading {
  /// Returns those of the names that belong to roots of shared hierarchies.
  func sharedRoots(among names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName>

  /// Returns the types and parents of the live records with these names.
  func positions(
    of names: [String], in zone: StoredZone
  ) throws(ServerError) -> [ExactName: RecordPosition]

  /// Returns which of these records are the parents of live records.
  func parents(among names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName>

  /// Returns the passages of some hierarchies, in the order of their change numbers. Passages with
  /// the same number are always returned together.
  ///
  /// - Parameters:
  ///   - newestFirst: whether to read from the greatest change number down.
  ///   - limit: the maximum number of change numbers.
  func passages(
    in zone: StoredZone, ofHierarchies roots: [String], range: ChangeRange, newestFirst: Bool,
    limit: Int
  ) throws(ServerError) -> [Passage]

  /// Returns the newest change number among the passages of some hierarchies, or 0 if there are
  /// none.
  func newestPassage(
    in zone: StoredZone, ofHierarchies roots: [String]
  ) throws(ServerError) -> Int64

  /// Returns the users who have joined a share, in the order of their databases' numbers.
  ///
  /// - Parameter root: the root record of the share, or nil for the share of the whole zone.
  func participants(
    ofShare root: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [String]

  /// Returns, from all databases of the store, records whose children may still be stored in an
  /// earlier hierarchy. Records of deleted zones are left out.
  ///
  /// - Parameter zone: the zone after which the list begins, or nil to begin at the first zone. The
  ///   order of the zones never changes.
  func unfinishedHierarchies(
    after zone: StoredZone?, limit: Int
  ) throws(ServerError) -> [UnfinishedHierarchy]

  /// Returns, from one zone, the records whose children may still be stored in an earlier
  /// hierarchy.
  func unfinishedHierarchies(
    in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [UnfinishedHierarchy]

  /// Whether a record outside a root's hierarchy has children that may still be stored in an
  /// earlier hierarchy, which may be the root's. If the result is false, no record still has to
  /// leave the root's hierarchy. The result says nothing about records that still have to join it.
  func hasUnfinishedHierarchies(
    outside root: String, in zone: StoredZone
  ) throws(ServerError) -> Bool
}

extension SharingReading {
  /// Returns records whose children may still be stored in an earlier hierarchy, beginning with the
  /// first zone.
  public func unfinishedHierarchies(limit: Int) throws(ServerError) -> [UnfinishedHierarchy] {
    try unfinishedHierarchies(after: nil, limit: limit)
  }
}

/// Writes the shared hierarchies of zones.
public protocol SharingWriting {
  /// Makes a record the root of a shared hierarchy. The method does not write the ``Passage``s of
  /// the hierarchy's records. Change sets write them.
  func addSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError)

  /// Removes a root. Change sets write the ``Passage``s of the records in its hierarchy.
  func removeSharedRoot(_ name: String, in zone: StoredZone) throws(ServerError)

  /// Adds a record whose children may still be stored in an earlier hierarchy. An earlier entry for
  /// the same record is replaced.
  func addUnfinished(_ hierarchy: UnfinishedHierarchy) throws(ServerError)

  /// Removes the entry of ``addUnfinished(_:)``, because all children have been moved.
  func finish(_ hierarchy: UnfinishedHierarchy) throws(ServerError)
}

/// The record type and the parent of a record.
public struct RecordPosition: Sendable, Hashable {
  public var recordType: String
  public var parentName: String?

  public init(recordType: String, parentName: String?) {
    self.recordType = recordType
    self.parentName = parentName
  }
}

/// A record that moved to another hierarchy, and whose children have not all been moved yet.
public struct UnfinishedHierarchy: Sendable, Hashable {
  public var zone: StoredZone
  public var parentName: String
  /// The last child that was examined, or nil if none was examined yet.
  public var cursor: String?

  public init(zone: StoredZone, parentName: String, cursor: String? = nil) {
    self.zone = zone
    self.parentName = parentName
    self.cursor = cursor
  }
}
