/// Reads the references between records.
public protocol LinkReading {
  /// Returns the links of this kind that live records have to these records, ordered by target and
  /// then by source.
  ///
  /// - Parameter limit: the maximum number of links.
  func links(
    _ kind: LinkKind, to targets: [String], in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink]

  /// Returns the links of this kind that live records have to one record, in the order of their
  /// sources.
  ///
  /// - Parameter source: the source after which the list begins, or nil to begin at the first
  ///   source.
  func links(
    _ kind: LinkKind, to target: String, after source: String?, in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink]

  /// Returns those of the names that belong to live records.
  func existing(_ names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName>

  /// Returns the deletions with an unfinished cascade in all databases of the store, the oldest
  /// first. Deletions in deleted zones are left out.
  func unfinishedCascades(limit: Int) throws(ServerError) -> [UnfinishedCascade]

  /// Whether any deletion in a zone has an unfinished cascade.
  func hasUnfinishedCascades(in zone: StoredZone) throws(ServerError) -> Bool

  /// Returns the unfinished cascades of deleted records with these names.
  func unfinishedCascades(
    of targets: [String], in zone: StoredZone
  ) throws(ServerError) -> [UnfinishedCascade]
}

/// Stores cascades that are too long for one transaction.
public protocol LinkWriting {
  /// Adds an unfinished cascade of a deleted record: records with a `deleteSelf` reference to that
  /// record must still be deleted. An earlier cascade of the same target is replaced.
  func addCascade(_ cascade: UnfinishedCascade) throws(ServerError)

  /// Removes a finished cascade.
  func finishCascade(_ cascade: UnfinishedCascade) throws(ServerError)
}

/// The effect of a link.
public enum LinkKind: Int64, Sendable, Hashable, CaseIterable {
  /// The source is deleted with its target.
  case deleteSelf = 1
  /// The target is the source's parent.
  case parent = 2
}

/// A reference from one record (the source) to another record of its zone (the target).
public struct RecordLink: Sendable, Hashable {
  public var kind: LinkKind
  public var target: String
  public var source: String

  public init(kind: LinkKind, target: String, source: String) {
    self.kind = kind
    self.target = target
    self.source = source
  }
}

// NB: names are compared by bytes. Names with different bytes belong to different records, even if
// they look alike.
extension RecordLink {
  public static func == (left: RecordLink, right: RecordLink) -> Bool {
    left.kind == right.kind && ExactName(left.target) == ExactName(right.target)
      && ExactName(left.source) == ExactName(right.source)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(ExactName(target))
    hasher.combine(ExactName(source))
  }
}

/// A deleted record with an unfinished cascade. Some records that must be deleted with it still
/// exist.
public struct UnfinishedCascade: Sendable, Hashable {
  public var zone: StoredZone
  public var target: String
  /// The zone's newest change number when the record was deleted. Sources with a later change were
  /// saved after the deletion and are not deleted.
  public var change: Int64
  /// The last source that was handled, or nil if none was handled yet.
  public var cursor: String?
  /// The user who deleted the record. The tombstones of the cascade name this user, too.
  public var userRecordName: String
  public var deviceID: String

  public init(
    zone: StoredZone, target: String, change: Int64, cursor: String? = nil, userRecordName: String,
    deviceID: String
  ) {
    self.zone = zone
    self.target = target
    self.change = change
    self.cursor = cursor
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }
}
