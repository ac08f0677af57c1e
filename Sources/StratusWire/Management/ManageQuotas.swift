/// Management: shows the bytes that a container uses in one environment, and its quotas.
public enum ShowQuota: Endpoint {
  public static let path = "quotas/show"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// The e-mail of the account whose private database is shown. nil means that the public
    /// database and the users with the most bytes are shown.
    public var email: String?

    public init(containerID: String, environment: ContainerEnvironment, email: String? = nil) {
      self.containerID = containerID
      self.environment = environment
      self.email = email
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("email", email)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      email = try json.optionalString("email")
    }
  }

  /// The usage of one record type.
  public struct TypeItem: JSONWritable, JSONReadable, Hashable {
    public var recordType: String
    public var records: Int64
    /// The bytes of the records' names and fields.
    public var recordBytes: Int64
    /// The bytes of the files that the records use. A file counts once for each record that uses
    /// it.
    public var assetBytes: Int64

    public init(recordType: String, records: Int64, recordBytes: Int64, assetBytes: Int64) {
      self.recordType = recordType
      self.records = records
      self.recordBytes = recordBytes
      self.assetBytes = assetBytes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("recordType", recordType)
        writer.member("records", records)
        writer.member("recordBytes", recordBytes)
        writer.member("assetBytes", assetBytes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      recordType = try json.requiredString("recordType")
      records = try json.optionalBytes("records") ?? 0
      recordBytes = try json.optionalBytes("recordBytes") ?? 0
      assetBytes = try json.optionalBytes("assetBytes") ?? 0
    }
  }

  /// The usage of one user's private database.
  public struct UserItem: JSONWritable, JSONReadable, Hashable {
    /// The e-mail of the user's account. nil means that the account does not exist any more.
    public var email: String?
    public var userRecordName: String
    public var usedBytes: Int64
    /// The quota that applies to the user, or nil if there is no limit.
    public var quotaBytes: Int64?

    public init(email: String?, userRecordName: String, usedBytes: Int64, quotaBytes: Int64?) {
      self.email = email
      self.userRecordName = userRecordName
      self.usedBytes = usedBytes
      self.quotaBytes = quotaBytes
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("email", email)
        writer.member("userRecordName", userRecordName)
        writer.member("usedBytes", usedBytes)
        writer.member("quotaBytes", quotaBytes)
      }
    }

    public init(json: JSONView) throws(WireError) {
      email = try json.optionalString("email")
      userRecordName = try json.requiredString("userRecordName")
      usedBytes = try json.optionalBytes("usedBytes") ?? 0
      quotaBytes = try json.optionalBytes("quotaBytes")
    }
  }

  public struct Response: JSONWritable, JSONReadable {
    /// The bytes of all records and files in the database.
    public var usedBytes: Int64
    /// The quota of the database, or nil if there is no limit.
    public var quotaBytes: Int64?
    /// The usage of each record type, sorted by name.
    public var types: [TypeItem]
    /// The quota of each user that has no quota of its own, or nil if there is no limit.
    public var userQuotaBytes: Int64?
    /// The users with the most bytes, if the request names no account.
    public var users: [UserItem]

    public init(
      usedBytes: Int64, quotaBytes: Int64?, types: [TypeItem], userQuotaBytes: Int64?,
      users: [UserItem]
    ) {
      self.usedBytes = usedBytes
      self.quotaBytes = quotaBytes
      self.types = types
      self.userQuotaBytes = userQuotaBytes
      self.users = users
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("usedBytes", usedBytes)
        writer.member("quotaBytes", quotaBytes)
        writer.member("types", array: types)
        writer.member("userQuotaBytes", userQuotaBytes)
        writer.member("users", array: users)
      }
    }

    public init(json: JSONView) throws(WireError) {
      usedBytes = try json.optionalBytes("usedBytes") ?? 0
      quotaBytes = try json.optionalBytes("quotaBytes")
      types = try json.requiredArray("types")
      userQuotaBytes = try json.optionalBytes("userQuotaBytes")
      users = try json.array("users")
    }
  }
}

/// Management: sets a quota of a container in one environment.
public enum SetQuota: Endpoint {
  public static let path = "quotas/set"

  /// The databases to which a quota applies.
  public enum Target: Sendable, Hashable {
    case publicDatabase
    /// The private database of each user that has no quota of its own.
    case eachUser
    /// The private database of one account's user.
    case account(email: String)
  }

  /// The new limit.
  public enum Limit: Sendable, Hashable {
    case bytes(Int64)
    case unlimited
    /// The account has no quota of its own any more. The quota for users without a quota of their
    /// own applies again.
    case standard
  }

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    public var target: Target
    public var limit: Limit

    public init(
      containerID: String, environment: ContainerEnvironment, target: Target, limit: Limit
    ) {
      self.containerID = containerID
      self.environment = environment
      self.target = target
      self.limit = limit
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        switch target {
        case .publicDatabase: writer.member("target", "public")
        case .eachUser: writer.member("target", "eachUser")
        case .account(let email):
          writer.member("target", "account")
          writer.member("email", email)
        }
        switch limit {
        case .bytes(let count): writer.member("bytes", count)
        case .unlimited: writer.member("unlimited", true)
        case .standard: writer.member("standard", true)
        }
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      switch try json.requiredString("target") {
      case "public": target = .publicDatabase
      case "eachUser": target = .eachUser
      case "account": target = .account(email: try json.requiredString("email"))
      default: throw .wrongType("target", expected: "public, eachUser or account")
      }
      if let count = try json.optionalBytes("bytes") {
        limit = .bytes(count)
      } else if try json.optionalBool("unlimited") == true {
        limit = .unlimited
      } else if try json.optionalBool("standard") == true {
        limit = .standard
      } else {
        throw .missing("bytes")
      }
    }
  }

  public typealias Response = EmptyRequest
}

extension JSONView {
  /// Reads an optional number of bytes.
  fileprivate func optionalBytes(_ key: StaticString) throws(WireError) -> Int64? {
    guard let value = self[key] else { return nil }
    guard let number = value.int64, number >= 0 else {
      throw .wrongType(key, expected: "a number of bytes")
    }
    return number
  }
}
