/// A record has become visible to the participants of a share, or is visible to them no more,
/// without being made or deleted: its parent changed, or the share did.
public struct Passage: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case joined, left
  }

  /// Its number; a number of the zone that no record's state has.
  public var change: Int64
  public var recordName: String
  /// Name of the root record of the share that the record joined or left.
  public var rootName: String
  public var kind: Kind
  /// Milliseconds since 1970 UTC.
  public var time: Int64

  public init(
    change: Int64, recordName: String, rootName: String, kind: Kind, time: Int64
  ) {
    self.change = change
    self.recordName = recordName
    self.rootName = rootName
    self.kind = kind
    self.time = time
  }
}
