/// The data of a share record besides its fields, as the server stores it. It never goes over the
/// wire: an answer has ``ShareDetails``, which depend on the reader.
public struct ShareState: Sendable, Hashable {
  /// nil: the whole zone is shared.
  public var rootRecordName: String?
  public var shortGUID: String
  public var publicPermission: SharePermissionName
  /// All participants but the owner.
  public var participants: [ShareParticipant]

  public init(
    rootRecordName: String?, shortGUID: String, publicPermission: SharePermissionName,
    participants: [ShareParticipant]
  ) {
    self.rootRecordName = rootRecordName
    self.shortGUID = shortGUID
    self.publicPermission = publicPermission
    self.participants = participants
  }
}

/// The data of any other record about its share, as the server stores it.
public struct ShareMark: Sendable, Hashable {
  /// nil: the record is not the root of a share now.
  public var shareRecordName: String?
  public var shortGUID: String

  public init(shareRecordName: String?, shortGUID: String) {
    self.shareRecordName = shareRecordName
    self.shortGUID = shortGUID
  }
}

extension ShareState: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("root", rootRecordName)
      writer.member("shortGUID", shortGUID)
      writer.member("publicPermission", publicPermission.rawValue)
      writer.member("participants", array: participants)
    }
  }

  public init(json: JSONView) throws(WireError) {
    self.init(
      rootRecordName: try json.optionalString("root"),
      shortGUID: try json.requiredString("shortGUID"),
      publicPermission: try SharePermissionName(json, "publicPermission") ?? .none,
      participants: try json.array("participants"))
  }
}

extension ShareMark: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("share", shareRecordName)
      writer.member("shortGUID", shortGUID)
    }
  }

  public init(json: JSONView) throws(WireError) {
    self.init(
      shareRecordName: try json.optionalString("share"),
      shortGUID: try json.requiredString("shortGUID"))
  }
}
