/// The ID in the URL of a share, and the record or zone that is shared. A link outlives its share,
/// so that the URL is the same if the record is shared again.
public struct ShareLink: Sendable, Hashable {
  /// The name of the shared root record, or nil if the whole zone is shared.
  public var rootName: String?
  public var shortGUID: String
  /// The record name of the share, or nil if the root or zone is not shared at present.
  public var shareName: String?

  public init(rootName: String?, shortGUID: String, shareName: String?) {
    self.rootName = rootName
    self.shortGUID = shortGUID
    self.shareName = shareName
  }
}

/// Reads the links of shares.
public protocol ShareLinkReading {
  /// Returns the link with this ID, and the live zone that the link belongs to. Returns nil if
  /// there is no such link.
  func shareLink(
    _ shortGUID: String
  ) throws(ServerError) -> (link: ShareLink, zone: ZoneAddress)?

  /// Returns the link of a record or a zone, or nil if the record or zone never had a URL for
  /// sharing.
  ///
  /// - Parameter root: the name of the root record, or nil for the share of the whole zone.
  func shareLink(ofRoot root: String?, in zone: StoredZone) throws(ServerError) -> ShareLink?

  /// Returns the record names of the shares of whole zones, by the numbers of the zones.
  func zoneShares(in database: DatabaseKey) throws(ServerError) -> [Int64: String]

  /// Returns the number of shares in a database.
  func shareCount(in database: DatabaseKey) throws(ServerError) -> Int

  /// Returns the shared roots of a zone, in the byte order of their names.
  func sharedRoots(
    in zone: StoredZone, after name: String?, limit: Int
  ) throws(ServerError) -> [String]

  /// Returns, from one zone, the names of records whose children may still be stored in an earlier
  /// hierarchy (see ``UnfinishedHierarchy``).
  func unfinishedParents(in zone: StoredZone, limit: Int) throws(ServerError) -> [String]
}

/// Writes the links of shares.
public protocol ShareLinkWriting {
  /// Stores a link, and replaces an earlier link of the same root.
  func keep(_ link: ShareLink, in zone: StoredZone) throws(ServerError)
}
