/// A record that became visible or invisible to the participants of a share without being created
/// or deleted, because its parent or the share changed.
public struct Passage: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    case joined, left
  }

  /// The change number of the passage. No record state of the zone has the same number.
  public var change: Int64
  public var recordName: String
  /// The name of the root record of the share that the record joined or left.
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
