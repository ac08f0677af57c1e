/// The ID in the URL of a share, and the record or zone that it shares. A link outlives its share,
/// so that the URL is the same if the record is shared again.
public struct ShareLink: Sendable, Hashable {
  /// nil: the whole zone.
  public var rootName: String?
  public var shortGUID: String
  /// The record name of the share; nil: the record is not shared now.
  public var shareName: String?

  public init(rootName: String?, shortGUID: String, shareName: String?) {
    self.rootName = rootName
    self.shortGUID = shortGUID
    self.shareName = shareName
  }
}

/// Reads the links of shares.
public protocol ShareLinkReading {
  /// The link with an ID, and the live zone of its share; nil: there is none.
  func shareLink(
    _ shortGUID: String
  ) throws(ServerError) -> (link: ShareLink, zone: ZoneAddress)?

  /// The link of a record or of a zone; nil: it was never shared.
  ///
  /// - Parameter root: nil: the share of the whole zone.
  func shareLink(ofRoot root: String?, in zone: StoredZone) throws(ServerError) -> ShareLink?

  /// The record names of the shares of whole zones, by the numbers of the zones.
  func zoneShares(in database: DatabaseKey) throws(ServerError) -> [Int64: String]

  /// The number of shares in a database.
  func shareCount(in database: DatabaseKey) throws(ServerError) -> Int

  /// The shared roots of a zone, in the byte order of their names.
  func sharedRoots(
    in zone: StoredZone, after name: String?, limit: Int
  ) throws(ServerError) -> [String]

  /// Records of one zone whose children may be in an outdated hierarchy.
  func unfinishedParents(in zone: StoredZone, limit: Int) throws(ServerError) -> [String]
}

/// Writes the links of shares.
public protocol ShareLinkWriting {
  /// Stores a link, and replaces an earlier one of the same root.
  func keep(_ link: ShareLink, in zone: StoredZone) throws(ServerError)
}
