/// A record in an answer.
///
/// Source: CloudKit Web Services Reference, *Types and Dictionaries*. The keys have the order of
/// Apple's service.
public struct RecordDictionary: Sendable {
  public var recordName: String
  public var recordType: String
  public var fields: FieldsJSON
  public var recordChangeTag: String
  public var created: Stamp
  public var modified: Stamp
  public var zoneID: ZoneID
  /// The record name of the parent, for hierarchical sharing.
  public var parentRecordName: String?
  /// The record name of the share whose root is this record. The share is in the same zone.
  public var shareRecordName: String?
  /// The ID in the URL of the share. Both the share and its root record have this ID. A record can
  /// get the ID before it is shared (``RecordOperation/createsShortGUID``).
  public var shortGUID: String?
  /// The host name in the URL of the share. Both the root record and the share have it.
  public var displayedHostname: String?
  /// The members that only share records have. nil means that the record is not a share.
  public var sharing: ShareDetails? {
    get { sharingPart.details }
    set { sharingPart = newValue.map(SharingPart.details) ?? .none }
  }
  private var sharingPart: SharingPart

  /// Stores the large details of a share outside of the record. Most records are not shares, and
  /// the server copies each record of a page several times.
  private enum SharingPart: Sendable {
    case none
    indirect case details(ShareDetails)

    var details: ShareDetails? {
      switch self {
      case .none: nil
      case .details(let details): details
      }
    }
  }

  public init(
    recordName: String, recordType: String, fields: FieldsJSON, recordChangeTag: String,
    created: Stamp, modified: Stamp, zoneID: ZoneID, parentRecordName: String? = nil,
    shareRecordName: String? = nil, shortGUID: String? = nil, displayedHostname: String? = nil,
    sharing: ShareDetails? = nil
  ) {
    self.recordName = recordName
    self.recordType = recordType
    self.fields = fields
    self.recordChangeTag = recordChangeTag
    self.created = created
    self.modified = modified
    self.zoneID = zoneID
    self.parentRecordName = parentRecordName
    self.shareRecordName = shareRecordName
    self.shortGUID = shortGUID
    self.displayedHostname = displayedHostname
    sharingPart = sharing.map(SharingPart.details) ?? .none
  }
}

extension RecordDictionary {
  /// Returns the URL of the share of this record, or of this share, without a fragment. Returns nil
  /// if the server's answer contains no short GUID or no host name.
  ///
  /// - Parameter scheme: the scheme of the server's URL, `https` or `http`.
  public func shareURL(scheme: String) -> String? {
    guard let shortGUID, let displayedHostname else { return nil }
    return "\(scheme)://\(displayedHostname)/share/\(shortGUID)"
  }
}

extension RecordDictionary: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("recordName", recordName)
      writer.member("recordType", recordType)
      writer.key("fields")
      writer.raw(fields.text)
      writer.key("pluginFields")
      writer.object { _ in }
      writer.member("recordChangeTag", recordChangeTag)
      writer.member("created", created)
      writer.member("modified", modified)
      writer.member("deleted", false)
      writer.member("zoneID", zoneID)
      writer.member("parent", reference: parentRecordName)
      writer.member("share", reference: shareRecordName)
      writer.member("shortGUID", shortGUID)
      writer.member("displayedHostname", displayedHostname)
      sharing?.writeMembers(to: &writer)
    }
  }

  public init(json: JSONView) throws(WireError) {
    recordName = try json.requiredString("recordName")
    recordType = try json.requiredString("recordType")
    fields = json["fields"].map { FieldsJSON(text: Array($0.text)) } ?? .empty
    recordChangeTag = try json.requiredString("recordChangeTag")
    guard let created = json["created"] else { throw .missing("created") }
    self.created = try Stamp(json: created)
    guard let modified = json["modified"] else { throw .missing("modified") }
    self.modified = try Stamp(json: modified)
    guard let zoneID = json["zoneID"] else { throw .missing("zoneID") }
    self.zoneID = try ZoneID(json: zoneID)
    parentRecordName = try json["parent"]?.requiredString("recordName")
    shareRecordName = try json["share"]?.requiredString("recordName")
    shortGUID = try json.optionalString("shortGUID")
    displayedHostname = try json.optionalString("displayedHostname")
    sharingPart = .none
    if recordType == ShareRecord.recordType { sharing = try ShareDetails(record: json) }
  }
}
