/// A line of the JSON files in the export of an account. Each line is an object with the member
/// `kind`.
public enum ArchiveLine: Sendable {
  /// A fact for the user to read, such as a role of the user. An import does not restore it.
  case note(ArchiveNote)
  /// The store (a container in one environment) to which the following lines belong, and the user's
  /// record name in that container.
  case store(containerID: String, environment: ContainerEnvironment, userRecordName: String)
  /// The public half of the user's key pair.
  case userKey([UInt8])
  case zone(ArchiveZone, EncryptionScope)
  case zoneKey(ArchiveZone, WrappedZoneKey)
  case record(ArchiveZone, ArchiveRecord)
  case subscription(DatabaseScope, Subscription)
  /// The last line of an export. An archive without this line is not complete.
  case end

  /// The version of the format.
  public static let format: Int64 = 1
}

/// A fact in an export: a kind, and members with texts and numbers.
public struct ArchiveNote: Sendable, Hashable {
  public var kind: String
  public var texts: [String: String]
  public var numbers: [String: Int64]

  public init(_ kind: String, _ texts: [String: String?] = [:], numbers: [String: Int64?] = [:]) {
    self.kind = kind
    self.texts = texts.compactMapValues { $0 }
    self.numbers = numbers.compactMapValues { $0 }
  }
}

/// A zone in an export. Only the public and the private database are exported.
public struct ArchiveZone: Sendable, Hashable {
  public var isPublic: Bool
  public var name: String

  public init(isPublic: Bool, name: String) {
    self.isPublic = isPublic
    self.name = name
  }
}

/// A record in an export, with its fields as the server stores them. Encrypted values are
/// ciphertext.
public struct ArchiveRecord: Sendable {
  public var name: String
  public var type: String
  public var created: Stamp
  public var modified: Stamp
  public var parentName: String?
  public var fields: FieldsJSON
  /// The state of a share as JSON, if the record is a share.
  public var share: [UInt8]?

  public init(
    name: String, type: String, created: Stamp, modified: Stamp, parentName: String?,
    fields: FieldsJSON, share: [UInt8]? = nil
  ) {
    self.name = name
    self.type = type
    self.created = created
    self.modified = modified
    self.parentName = parentName
    self.fields = fields
    self.share = share
  }
}

extension ArchiveLine: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      switch self {
      case .note(let note):
        writer.member("kind", note.kind)
        for (key, text) in note.texts.sorted(by: { $0.key < $1.key }) {
          writer.key(key)
          writer.string(text)
        }
        for (key, number) in note.numbers.sorted(by: { $0.key < $1.key }) {
          writer.key(key)
          writer.int(number)
        }
      case .store(let containerID, let environment, let userRecordName):
        writer.member("kind", "store")
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("userRecordName", userRecordName)
      case .userKey(let key):
        writer.member("kind", "userKey")
        writer.member("publicKey", base64: key)
      case .zone(let zone, let scope):
        writer.member("kind", "zone")
        zone.writeMembers(to: &writer)
        writer.member("encryptionScope", scope.rawValue)
      case .zoneKey(let zone, let key):
        writer.member("kind", "zoneKey")
        zone.writeMembers(to: &writer)
        writer.member("key", key)
      case .record(let zone, let record):
        writer.member("kind", "record")
        zone.writeMembers(to: &writer)
        record.writeMembers(to: &writer)
      case .subscription(let scope, let subscription):
        writer.member("kind", "subscription")
        writer.member("database", scope.rawValue)
        writer.member("subscription", subscription)
      case .end: writer.member("kind", "end")
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    let kind = try json.requiredString("kind")
    switch kind {
    case "store":
      guard
        let environment = ContainerEnvironment(rawValue: try json.requiredString("environment"))
      else { throw .wrongType("environment", expected: "development or production") }
      self = .store(
        containerID: try json.requiredString("containerID"), environment: environment,
        userRecordName: try json.requiredString("userRecordName"))
    case "userKey":
      self = .userKey(try json.requiredBytes("publicKey", count: UserKey.length))
    case "zone":
      guard let scope = EncryptionScope(rawValue: try json.requiredString("encryptionScope")) else {
        throw .wrongType("encryptionScope", expected: "PER_RECORD or PER_ZONE")
      }
      self = .zone(try ArchiveZone(json: json), scope)
    case "zoneKey":
      guard let key: WrappedZoneKey = try json.optional("key") else { throw .missing("key") }
      self = .zoneKey(try ArchiveZone(json: json), key)
    case "record":
      self = .record(try ArchiveZone(json: json), try ArchiveRecord(json: json))
    case "subscription":
      guard let scope = DatabaseScope(rawValue: try json.requiredString("database")),
        let subscription: Subscription = try json.optional("subscription")
      else { throw .missing("subscription") }
      self = .subscription(scope, subscription)
    case "end": self = .end
    default:
      var note = ArchiveNote(kind)
      for member in json.members where member.key != "kind" {
        if let text = member.value.string {
          note.texts[member.key] = text
        } else if let number = member.value.int64 {
          note.numbers[member.key] = number
        }
      }
      self = .note(note)
    }
  }

  public var expectedByteCount: Int {
    if case .record(_, let record) = self { return 512 + record.fields.text.count }
    return 256
  }
}

extension ArchiveZone {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("database", isPublic ? "public" : "private")
    writer.member("zoneName", name)
  }

  fileprivate init(json: JSONView) throws(WireError) {
    switch try json.requiredString("database") {
    case "public": isPublic = true
    case "private": isPublic = false
    default: throw .wrongType("database", expected: "public or private")
    }
    name = try json.requiredString("zoneName")
  }
}

extension ArchiveRecord {
  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("recordName", name)
    writer.member("recordType", type)
    writer.member("created", created)
    writer.member("modified", modified)
    writer.member("parentRecordName", parentName)
    writer.key("fields")
    writer.raw(fields.text)
    if let share {
      writer.key("share")
      writer.raw(share)
    }
  }

  fileprivate init(json: JSONView) throws(WireError) {
    guard let created: Stamp = try json.optional("created"),
      let modified: Stamp = try json.optional("modified"), let fields = json["fields"]
    else { throw .missing("fields") }
    try fields.requireObject("fields")
    self.init(
      name: try json.requiredString("recordName"), type: try json.requiredString("recordType"),
      created: created, modified: modified,
      parentName: try json.optionalString("parentRecordName"),
      fields: FieldsJSON(text: Array(fields.text)), share: json["share"].map { Array($0.text) })
  }
}
