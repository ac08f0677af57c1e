/// A user who has asked for access to a share. The owner and administrators see the list.
///
/// Choice: CloudKit Web Services have no form for requests for access, so the keys are ours.
public struct ShareRequester: Sendable, Hashable {
  /// The user's record name, and the address of the user's account. The account has no address if
  /// `lookup` is nil.
  public var identity: ParticipantIdentity
  /// When the user asked, in milliseconds since 1970 UTC.
  public var requestedAt: Int64

  public init(identity: ParticipantIdentity, requestedAt: Int64) {
    self.identity = identity
    self.requestedAt = requestedAt
  }
}

/// A user whom the owner or an administrator has blocked. The share does not exist for this user.
public struct BlockedIdentity: Sendable, Hashable {
  /// The user's record name, and the address by which the owner knows the user.
  public var identity: ParticipantIdentity

  public init(identity: ParticipantIdentity) { self.identity = identity }
}

extension ShareRequester: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("userIdentity", identity)
      writer.member("dateRequested", requestedAt)
    }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("requesters")
    self.init(
      identity: try json.optional("userIdentity") ?? ParticipantIdentity(),
      requestedAt: json["dateRequested"]?.int64 ?? 0)
  }
}

extension BlockedIdentity: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { $0.member("userIdentity", identity) }
  }

  public init(json: JSONView) throws(WireError) {
    try json.requireObject("blockedIdentities")
    self.init(identity: try json.optional("userIdentity") ?? ParticipantIdentity())
  }
}
