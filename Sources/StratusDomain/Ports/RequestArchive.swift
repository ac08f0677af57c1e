public import StratusWire

/// Keeps the entries of the request log, so that they are not lost at a restart. The archive limits
/// their bytes and their age.
///
/// The numbers of entries increase, also after a restart. A number is missing if its entry was lost
/// before it reached the archive.
public protocol RequestArchive: Sendable {
  /// The number of the first entry that is not yet in the archive.
  var nextNumber: Int { get }

  /// Adds entries, and removes the oldest entries beyond the archive's bounds.
  ///
  /// - Parameter first: the number of the first entry. It is greater than the number of every
  ///   earlier entry.
  /// - Throws: `INTERNAL_ERROR` if the disk accepts no entries.
  func append(_ entries: [WrittenEntry], first: Int) throws(ServerError)

  /// Returns the newest piece of the archive that has an entry before a number, or nil if there is
  /// none.
  ///
  /// - Throws: `INTERNAL_ERROR` if the piece cannot be read.
  func piece(before number: Int) throws(ServerError) -> ArchivePiece?
}

/// Some entries of a ``RequestArchive`` with consecutive numbers, the oldest first. There is at
/// least one.
public struct ArchivePiece: Sendable {
  /// The number of the first entry.
  public var first: Int
  public var entries: [RequestEntry]

  public init(first: Int, entries: [RequestEntry]) {
    self.first = first
    self.entries = entries
  }
}
