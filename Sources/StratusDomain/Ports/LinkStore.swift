/// Reads which records lead to others.
public protocol LinkReading {
  /// Links of a kind that lead to any of these records, live ones, in order of target and source.
  ///
  /// - Parameter limit: how many at most.
  func links(
    _ kind: LinkKind, to targets: [String], in zone: StoredZone, limit: Int
  ) throws(ServerError) -> [RecordLink]

  /// Which of these names live records have.
  func existing(_ names: [String], in zone: StoredZone) throws(ServerError) -> Set<ExactName>

  /// Deletions whose cascade is not finished, oldest first, over all databases of the store;
  /// those of deleted zones are left out.
  func unfinishedCascades(limit: Int) throws(ServerError) -> [UnfinishedCascade]
}

/// Keeps cascades that are too long for one transaction.
public protocol LinkWriting {
  /// Remembers that records which lead to this one by `deleteSelf` are still to be deleted.
  func addCascade(_ cascade: UnfinishedCascade) throws(ServerError)

  /// Forgets it.
  func finishCascade(_ cascade: UnfinishedCascade) throws(ServerError)
}

/// What a link does.
public enum LinkKind: Int64, Sendable, Hashable, CaseIterable {
  /// The source goes with its target.
  case deleteSelf = 1
  /// The target is the source's parent.
  case parent = 2
}

/// One record that leads to another of its zone.
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

/// A record that is gone, while some that must follow it are still there.
public struct UnfinishedCascade: Sendable, Hashable {
  public var zone: StoredZone
  public var target: String
  /// Who deleted the record, for the tombstones to come.
  public var userRecordName: String
  public var deviceID: String

  public init(zone: StoredZone, target: String, userRecordName: String, deviceID: String) {
    self.zone = zone
    self.target = target
    self.userRecordName = userRecordName
    self.deviceID = deviceID
  }
}
