extension NotificationPayload: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("aps", presentation)
      writer.key("ck")
      writer.object { writer in
        // NB: every known payload has the value 2. Its meaning is unknown.
        writer.member("ce", 2)
        writer.member("cid", containerIdentifier)
        writer.member("nid", notificationID)
        writer.member("ckuserid", userRecordName)
        if isPruned { writer.member("p", 1) }
        event.writeMember(to: &writer)
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    presentation = try json.optional("aps") ?? Presentation()
    guard let json = json["ck"], json.isObject else { throw .missing("ck") }
    containerIdentifier = try json.optionalString("cid")
    notificationID = try json.optionalString("nid") ?? ""
    userRecordName = try json.optionalString("ckuserid")
    isPruned = json["p"]?.int == 1
    event = try Event(json: json)
  }
}

extension NotificationPayload.Event {
  fileprivate func writeMember(to writer: inout JSONWriter) {
    switch self {
    case .query(let event): writer.member("qry", event)
    case .zone(let id, let zoneID, let scope):
      writer.key("fet")
      writer.object { writer in
        zoneID?.writeMembers(to: &writer)
        writer.member("sid", id)
        writer.member("dbs", scope.number)
      }
    case .database(let id, let scope):
      writer.key("met")
      writer.object { writer in
        writer.member("sid", id)
        writer.member("dbs", scope.number)
      }
    case .plain: break
    }
  }

  fileprivate init(json: JSONView) throws(WireError) {
    if let json = json["qry"] {
      self = .query(try RecordEvent(json: json))
    } else if let json = json["fet"] {
      self = .zone(
        subscriptionID: try json.optionalString("sid") ?? "", ZoneID(payload: json),
        try DatabaseScope(payload: json))
    } else if let json = json["met"] {
      self = .database(
        subscriptionID: try json.optionalString("sid") ?? "", try DatabaseScope(payload: json))
    } else {
      self = .plain
    }
  }
}

extension RecordEvent: JSONWritable, JSONReadable {
  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      zoneID?.writeMembers(to: &writer)
      writer.member("rid", recordName)
      writer.member("sid", subscriptionID)
      writer.member("fo", reason.map { Int64($0.rawValue) })
      writer.member("dbs", scope.number)
      if fields.isEmpty { return }
      writer.key("af")
      writer.object { writer in
        for (name, value) in fields {
          writer.key(name)
          value.write(to: &writer)
        }
      }
    }
  }

  public init(json: JSONView) throws(WireError) {
    var fields: [(name: String, value: PlainValue)] = []
    if let members = json["af"]?.members {
      for member in members {
        if let value = PlainValue(json: member.value) { fields.append((member.key, value)) }
      }
    }
    self.init(
      subscriptionID: try json.optionalString("sid") ?? "",
      scope: try DatabaseScope(payload: json), reason: json["fo"]?.int.flatMap(Reason.init),
      recordName: try json.optionalString("rid"), zoneID: ZoneID(payload: json), fields: fields)
  }
}

extension PlainValue {
  func write(to writer: inout JSONWriter) {
    switch self {
    case .string(let text): writer.string(text)
    case .int64(let number): writer.int(number)
    case .double(let number): writer.double(number)
    case .location(let latitude, let longitude):
      writer.object { writer in
        writer.key("latitude")
        writer.double(latitude)
        writer.key("longitude")
        writer.double(longitude)
      }
    case .reference(let recordName): writer.object { $0.member("recordName", recordName) }
    }
  }

  /// Reads a value. Returns nil if the JSON is not a value that servers send.
  init?(json: JSONView) {
    if let text = json.string {
      self = .string(text)
    } else if json.isNumber {
      // NB: read a number as a whole number first. JSON does not distinguish whole numbers and
      // times from a double without a fraction.
      guard let value = json.int64.map(Self.int64) ?? json.double.map(Self.double) else {
        return nil
      }
      self = value
    } else if let name = json["recordName"]?.string {
      self = .reference(recordName: name)
    } else if let latitude = json["latitude"]?.double, let longitude = json["longitude"]?.double {
      self = .location(latitude: latitude, longitude: longitude)
    } else {
      return nil
    }
  }
}

extension ZoneID {
  /// The owner name that stands for the caller's own zones, as in Apple's service.
  private static let ownOwner = "_defaultOwner"

  fileprivate func writeMembers(to writer: inout JSONWriter) {
    writer.member("zid", zoneName)
    writer.member("zoid", ownerRecordName ?? Self.ownOwner)
  }

  /// Reads the zone of a payload. Returns nil if the payload names no zone.
  fileprivate init?(payload json: JSONView) {
    guard let name = json["zid"]?.string else { return nil }
    let owner = json["zoid"]?.string
    let isOwn = owner == nil || owner == Self.ownOwner || owner == "__defaultOwner__"
    self.init(zoneName: name, ownerRecordName: isOwn ? nil : owner)
  }
}

extension DatabaseScope {
  /// The value of `dbs`, as Apple's service sends it. Some published samples use 1 for the private
  /// and 2 for the public database.
  fileprivate var number: Int64 {
    switch self {
    case .public: 1
    case .private: 2
    case .shared: 3
    }
  }

  /// Choice: a payload without a scope belongs to the private database, because people who write a
  /// payload by hand often leave out the scope.
  fileprivate init(payload json: JSONView) throws(WireError) {
    guard let number = json["dbs"] else {
      self = .private
      return
    }
    switch number.int {
    case 1: self = .public
    case 2: self = .private
    case 3: self = .shared
    case _: throw WireError("'dbs' must be 1, 2 or 3")
    }
  }
}
