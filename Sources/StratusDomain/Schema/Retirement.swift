/// The removal of a field or record type in phases (docs/internals/schema.md).
public struct Retirement: Sendable, Hashable {
  public enum Phase: Int64, Sendable, Hashable {
    /// Apps can still read and write. The server remembers which devices write.
    case reported = 1
    /// Apps can still read. Writes are refused. The server remembers which devices try to write.
    case refused = 2
    /// The values are removed in steps. Nothing can be written.
    case removing = 3
  }

  public var place: SchemaPlace
  public var phase: Phase
  /// The new name of a field that is being renamed, or nil if the field is not being renamed. Each
  /// save writes both fields.
  public var successor: String?
  /// Whether every record has the value under both names. It is always true without a successor.
  public var isCopied: Bool
  /// The start of the retirement, in milliseconds since 1970 UTC.
  public var since: Int64
  /// The last record that the copy or the removal has handled, or nil if it has not begun.
  public var cursor: IndexBuildCursor?

  public init(
    _ place: SchemaPlace, phase: Phase, successor: String? = nil, isCopied: Bool = true,
    since: Int64, cursor: IndexBuildCursor? = nil
  ) {
    self.place = place
    self.phase = phase
    self.successor = successor
    self.isCopied = isCopied
    self.since = since
    self.cursor = cursor
  }

  /// Whether background steps remain to be done.
  var hasWork: Bool { phase == .removing || !isCopied }

  /// Whether `other` is the new name of this field.
  func names(_ other: SchemaPlace) -> Bool {
    successor != nil && successor == other.field && place.recordType == other.recordType
  }
}

/// A device that wrote to a retiring record type or field. The write shows that apps still need it.
public struct RetiredWrite: Sendable, Hashable {
  public var deviceID: String
  public var userRecordName: String
  /// The time of the last write, in milliseconds since 1970 UTC.
  public var time: Int64
  /// The number of writes since the retirement began.
  public var count: Int64

  public init(deviceID: String, userRecordName: String, time: Int64, count: Int64) {
    self.deviceID = deviceID
    self.userRecordName = userRecordName
    self.time = time
    self.count = count
  }
}

extension Schema {
  /// Whether the field or its record type is being removed.
  func isBeingRemoved(_ place: SchemaPlace) -> Bool {
    if retirements.isEmpty { return false }
    return retirements[place]?.phase == .removing
      || retirements[SchemaPlace(place.recordType)]?.phase == .removing
  }

  /// The retirements of a record type's fields, and of the type itself.
  func retirements(in recordType: String) -> [Retirement] {
    if retirements.isEmpty { return [] }
    return retirements.values.filter { $0.place.recordType == recordType }
  }
}
