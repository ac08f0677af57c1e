/// The newest event of a record in the hierarchy of one shared root: the record joined the
/// hierarchy or changed in it, or it left the hierarchy or was deleted.
///
/// Participants of a shared hierarchy read passages instead of the zone's records. A store keeps
/// one passage for each root and record.
public struct Passage: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// The record is in the hierarchy.
    case joined
    /// The record is no longer in the hierarchy.
    case left
  }

  /// The change number of the passage. Only states and passages of the same record can have the
  /// same number.
  public var change: Int64
  public var recordName: String
  public var recordType: String
  /// The name of the root record of the hierarchy.
  public var rootName: String
  public var kind: Kind
  /// The time of the event, in milliseconds since 1970 UTC.
  public var time: Int64

  public init(
    change: Int64, recordName: String, recordType: String, rootName: String, kind: Kind,
    time: Int64
  ) {
    self.change = change
    self.recordName = recordName
    self.recordType = recordType
    self.rootName = rootName
    self.kind = kind
    self.time = time
  }
}
