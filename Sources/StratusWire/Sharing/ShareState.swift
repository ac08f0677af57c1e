/// The part of a share record that the server stores besides the record's fields. Clients
/// receive ``ShareDetails`` instead, which depend on the caller.
public struct ShareState: Sendable, Hashable {
  /// The record name of the root. nil means that the whole zone is shared.
  public var rootRecordName: String?
  public var shortGUID: String
  public var publicPermission: SharePermissionName
  /// The participants without the owner.
  public var participants: [ShareParticipant]
  /// Whether users who are not invited may ask for access.
  public var allowsAccessRequests = false
  /// The users who have asked for access and have got no answer yet.
  public var requesters: [ShareRequester] = []
  /// The users for whom the share does not exist.
  public var blocked: [BlockedIdentity] = []

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

/// The stored part of an ordinary record that says whether the record is the root of a share.
public struct ShareMark: Sendable, Hashable {
  /// The record name of the share. nil means that the record is not the root of a share now.
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
      if allowsAccessRequests { writer.member("allowsAccessRequests", true) }
      if !requesters.isEmpty { writer.member("requesters", array: requesters) }
      if !blocked.isEmpty { writer.member("blocked", array: blocked) }
    }
  }

  public init(json: JSONView) throws(WireError) {
    self.init(
      rootRecordName: try json.optionalString("root"),
      shortGUID: try json.requiredString("shortGUID"),
      publicPermission: try SharePermissionName(json, "publicPermission") ?? .none,
      participants: try json.array("participants"))
    allowsAccessRequests = try json.optionalBool("allowsAccessRequests") ?? false
    requesters = try json.array("requesters")
    blocked = try json.array("blocked")
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
