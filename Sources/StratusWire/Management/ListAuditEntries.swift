/// Management: lists the newest entries of the audit log, the newest first.
public enum ListAuditEntries: Endpoint {
  public static let path = "audit/list"

  /// The maximum number of entries of one answer. Choice: an answer of this length stays far below
  /// the maximum size of answers.
  public static let limitMax = 1_000

  public struct Request: JSONWritable, JSONReadable {
    /// The account that the entries concern, or nil for all entries.
    public var email: String?
    /// Entries with this number or a greater one are left out. nil begins with the newest entry.
    public var before: Int64?
    /// The maximum number of entries, at most ``limitMax``.
    public var limit: Int

    public init(email: String? = nil, before: Int64? = nil, limit: Int = 100) {
      self.email = email
      self.before = before
      self.limit = limit
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("before", before)
        writer.member("limit", Int64(limit))
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.optionalString("email")
      before = json["before"]?.int64
      limit = Int(min(max(json["limit"]?.int64 ?? 100, 1), Int64(ListAuditEntries.limitMax)))
    }
  }

  /// An entry of the audit log.
  public struct Item: JSONWritable, JSONReadable, Hashable {
    /// The number of the entry. Later entries have greater numbers.
    public var number: Int64
    /// The time of the change, in milliseconds since 1970 UTC.
    public var time: Int64
    /// `operator`, `member` (of the team) or `user`.
    public var actor: String
    /// The e-mail address of the member of the team, or nil if the actor is not a member.
    public var member: String?
    /// The path of the management endpoint, or `account-page`.
    public var action: String
    /// The e-mail address of the account, or its ID if the account was deleted.
    public var account: String?
    public var containerID: String?
    public var environment: String?
    /// The ID or name of the changed thing, or a sentence about a change on the account page.
    public var subject: String

    public init(
      number: Int64, time: Int64, actor: String, member: String?, action: String,
      account: String?, containerID: String?, environment: String?, subject: String
    ) {
      self.number = number
      self.time = time
      self.actor = actor
      self.member = member
      self.action = action
      self.account = account
      self.containerID = containerID
      self.environment = environment
      self.subject = subject
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("number", number)
        writer.member("time", time)
        writer.member("actor", actor)
        writer.member("member", member)
        writer.member("action", action)
        writer.member("account", account)
        writer.member("containerID", containerID)
        writer.member("environment", environment)
        writer.member("subject", subject)
      }
    }

    public init(json: JSONView) throws(WireError) {
      number = json["number"]?.int64 ?? 0
      time = json["time"]?.int64 ?? 0
      actor = try json.requiredString("actor")
      member = try json.optionalString("member")
      action = try json.requiredString("action")
      account = try json.optionalString("account")
      containerID = try json.optionalString("containerID")
      environment = try json.optionalString("environment")
      subject = try json.optionalString("subject") ?? ""
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var entries: [Item]

    public init(entries: [Item]) { self.entries = entries }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("entries", array: entries) }
    }

    public init(json: JSONView) throws(WireError) {
      entries = try json.requiredArray("entries")
    }
  }
}
