/// One record to save or delete.
public struct RecordOperation: Sendable {
  /// The kind of operation (CloudKit Web Services Reference, *Modifying Records*).
  public enum Kind: String, Sendable, CaseIterable {
    case create, update, forceUpdate, replace, forceReplace, delete, forceDelete
  }

  public var kind: Kind
  /// The name of the record. If it is nil with `create`, the server creates a name.
  public var recordName: String?
  public var recordType: String?
  public var recordChangeTag: String?
  /// The zone of the record. It is used only if the request itself names no zone.
  public var zoneID: ZoneID?
  /// A JSON object of field dictionaries. See ``FieldInput``.
  public var fields: JSONView?
  public var parent: ParentChange
  /// Whether the save gives the record the ID that the URL of a later share will contain. The flag
  /// has no effect if the record already has such an ID.
  public var createsShortGUID = false
  /// The members that only share records have. nil means that they are unchanged.
  public var share: ShareInput?
  public var selection: FieldSelection

  public init(
    _ kind: Kind, recordName: String?, recordType: String? = nil, recordChangeTag: String? = nil,
    fields: JSONView? = nil, parent: ParentChange = .unchanged
  ) {
    self.kind = kind
    self.recordName = recordName
    self.recordType = recordType
    self.recordChangeTag = recordChangeTag
    self.fields = fields
    self.parent = parent
    selection = .all
  }
}

/// The change that a save makes to a record's parent.
public enum ParentChange: Sendable, Hashable {
  case unchanged, removed
  case set(recordName: String)
}

extension RecordOperation: JSONWritable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("operationType", kind.rawValue)
      writer.key("record")
      writer.object { writer in
        writer.member("recordName", recordName)
        writer.member("recordType", recordType)
        writer.member("recordChangeTag", recordChangeTag)
        writer.member("zoneID", zoneID)
        if let fields {
          writer.key("fields")
          writer.raw(fields.text)
        }
        parent.writeMember(to: &writer)
        if createsShortGUID { writer.member("createShortGUID", true) }
        share?.writeMembers(to: &writer)
      }
    }
  }

  init(json: JSONView, outer: FieldSelection) throws(WireError) {
    let kind = try json.requiredString("operationType")
    guard let kind = Kind(rawValue: kind) else {
      throw WireError("Unknown operationType '\(kind)'")
    }
    guard let record = json["record"] else { throw .missing("record") }
    try record.requireObject("record")
    self.kind = kind
    recordName = try record.optionalString("recordName")
    recordType = try record.optionalString("recordType")
    recordChangeTag = try record.optionalString("recordChangeTag")
    zoneID = try record.optional("zoneID")
    fields = record["fields"]
    parent = try ParentChange(record: record)
    createsShortGUID = try record.optionalBool("createShortGUID") ?? false
    // An operation that names another record type is not searched for these members, because a
    // batch may contain many records.
    if let recordType, recordType != ShareRecord.recordType {
      share = nil
    } else {
      let input = try ShareInput(record: record)
      share = input.isEmpty ? nil : input
    }
    selection = try FieldSelection(
      json: record, outer: try FieldSelection(json: json, outer: outer))
  }
}

extension ParentChange {
  func writeMember(to writer: inout JSONWriter) {
    switch self {
    case .unchanged: return
    case .removed:
      writer.key("parent")
      writer.object { _ in }
    case .set(let recordName):
      writer.key("parent")
      writer.object { $0.member("recordName", recordName) }
    }
  }

  /// Choice: a `parent` dictionary without a record name removes the parent. If the key `parent` is
  /// missing, the record keeps its parent.
  init(record: JSONView) throws(WireError) {
    guard let parent = record["parent"] else {
      self = .unchanged
      return
    }
    try parent.requireObject("parent")
    self = try parent.optionalString("recordName").map { .set(recordName: $0) } ?? .removed
  }
}
