/// The treatment of the public records that the user of a deleted account has created.
public enum PublicRecordsChoice: String, Sendable, Hashable, CaseIterable {
  /// The records stay. They no longer name the user.
  case keep
  /// The records are deleted, with the records that refer to them by `deleteSelf` references.
  case delete
}

/// The receipt of the deletion of an account. It has counts and times, and no contents.
public struct RemovalReceipt: JSONWritable, JSONReadable, Hashable, Sendable {
  /// The ID of the receipt, which the audit log names.
  public var id: String
  /// The ID of the deleted account.
  public var accountID: String
  public var publicRecords: PublicRecordsChoice
  /// The start of the deletion, in milliseconds since 1970 UTC.
  public var begunAt: Int64
  /// The time when everything was removed, in milliseconds since 1970 UTC, or nil if the deletion
  /// is in progress.
  public var endedAt: Int64?
  /// For each kind of data, such as `zones` and `sessions`, the number of items that were removed.
  public var counts: [String: Int64]

  public init(
    id: String, accountID: String, publicRecords: PublicRecordsChoice, begunAt: Int64,
    endedAt: Int64? = nil, counts: [String: Int64] = [:]
  ) {
    self.id = id
    self.accountID = accountID
    self.publicRecords = publicRecords
    self.begunAt = begunAt
    self.endedAt = endedAt
    self.counts = counts
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("accountID", accountID)
      writer.member("publicRecords", publicRecords.rawValue)
      writer.member("begunAt", begunAt)
      writer.member("endedAt", endedAt)
      writer.key("counts")
      Self.write(counts, to: &writer)
    }
  }

  /// Writes counts as an object, sorted by kind.
  public static func write(_ counts: [String: Int64], to writer: inout JSONWriter) {
    writer.object { writer in
      for (kind, count) in counts.sorted(by: { $0.key < $1.key }) {
        writer.key(kind)
        writer.int(count)
      }
    }
  }

  /// Reads counts. Members that are not whole numbers are left out.
  public static func counts(_ json: JSONView?) -> [String: Int64] {
    var counts: [String: Int64] = [:]
    guard let json, json.isObject else { return counts }
    for member in json.members {
      if let count = member.value.int64 { counts[member.key] = count }
    }
    return counts
  }

  public init(json: JSONView) throws(WireError) {
    id = try json.requiredString("id")
    accountID = try json.requiredString("accountID")
    publicRecords = try PublicRecordsChoice(json: json) ?? .keep
    begunAt = json["begunAt"]?.int64 ?? 0
    endedAt = json["endedAt"]?.int64
    counts = Self.counts(json["counts"])
  }
}

extension PublicRecordsChoice {
  /// Reads whether a request keeps or deletes the user's public records. Returns nil if the request
  /// does not say.
  fileprivate init?(json: JSONView) throws(WireError) {
    guard let text = try json.optionalString("publicRecords") else { return nil }
    guard let choice = Self(rawValue: text) else {
      throw .wrongType("publicRecords", expected: "keep or delete")
    }
    self = choice
  }
}

/// Management: deletes an account with all its data. The server continues the work after the
/// answer, if one request is not enough. ``ListReceipts`` shows whether it is complete.
public enum DeleteAccount: Endpoint {
  public static let path = "accounts/delete"

  public struct Request: JSONWritable, JSONReadable {
    public var email: String
    public var publicRecords: PublicRecordsChoice

    public init(email: String, publicRecords: PublicRecordsChoice = .keep) {
      self.email = email
      self.publicRecords = publicRecords
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("publicRecords", publicRecords.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.requiredString("email")
      publicRecords = try PublicRecordsChoice(json: json) ?? .keep
    }
  }

  public typealias Response = RemovalReceipt
}

/// Management: lists the receipts of deleted accounts, the newest first.
public enum ListReceipts: Endpoint {
  public static let path = "accounts/receipts"

  public struct Request: JSONWritable, JSONReadable {
    /// The ID of one receipt, or nil for all.
    public var id: String?

    public init(id: String? = nil) { self.id = id }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("id", id) }
    }

    public init(json: JSONView) throws(WireError) { id = try json.optionalString("id") }
  }

  public struct Response: JSONWritable, JSONReadable {
    public var receipts: [RemovalReceipt]

    public init(receipts: [RemovalReceipt]) { self.receipts = receipts }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("receipts", array: receipts) }
    }

    public init(json: JSONView) throws(WireError) {
      receipts = try json.requiredArray("receipts")
    }
  }
}
