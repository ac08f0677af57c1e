/// Management: reports the state of a running server.
public enum FetchStatus: Endpoint {
  public static let path = "status"

  public typealias Request = EmptyRequest
  public typealias Response = ServerStatus
}

/// The state of a running server.
public struct ServerStatus: JSONWritable, JSONReadable {
  /// The record types, fields and indexes that requests needed and that production environments
  /// lack. Those that were needed most often come first.
  public var lacks: [LackItem]
  /// The faults that `/health/ready` reports.
  public var faults: [ReadinessFault]
  public var version: String
  /// The time at which the server started, in milliseconds since 1970 UTC.
  public var startedAt: Int64
  public var uptimeSeconds: Int64
  /// The containers, in the order of their IDs.
  public var containers: [ContainerItem]

  public init(
    lacks: [LackItem], faults: [ReadinessFault], version: String, startedAt: Int64,
    uptimeSeconds: Int64, containers: [ContainerItem]
  ) {
    self.lacks = lacks
    self.faults = faults
    self.version = version
    self.startedAt = startedAt
    self.uptimeSeconds = uptimeSeconds
    self.containers = containers
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("productionLacks", array: lacks)
      writer.member("ready", faults.allowRecords)
      writer.member("faults", array: faults)
      writer.member("version", version)
      writer.member("startedAt", startedAt)
      writer.member("uptimeSeconds", uptimeSeconds)
      writer.member("containers", array: containers)
    }
  }

  public init(json: JSONView) throws(WireError) {
    lacks = try json.requiredArray("productionLacks")
    faults = try json.requiredArray("faults")
    version = try json.requiredString("version")
    startedAt = json["startedAt"]?.int64 ?? 0
    uptimeSeconds = json["uptimeSeconds"]?.int64 ?? 0
    containers = try json.requiredArray("containers")
  }
}

/// A part of the schema that requests needed and that the production environment of a container
/// lacks.
public struct LackItem: JSONWritable, JSONReadable, Hashable {
  public var containerID: String
  public var recordType: String
  /// The kind of the missing part: `type`, `field` or `index`.
  public var kind: String
  /// The name of the missing field. For an index, it is the field's name and the index's word in
  /// the schema language, such as `title SORTABLE`. The name is empty for a record type.
  public var name: String
  /// The app and its version, as its requests named them. It is empty if the requests named no app.
  public var app: String
  /// The number of refused requests.
  public var count: Int64
  /// The time of the first refusal, in milliseconds since 1970 UTC.
  public var firstAt: Int64
  /// The time of the last refusal, in milliseconds since 1970 UTC.
  public var lastAt: Int64

  public init(
    containerID: String, recordType: String, kind: String, name: String, app: String,
    count: Int64, firstAt: Int64, lastAt: Int64
  ) {
    self.containerID = containerID
    self.recordType = recordType
    self.kind = kind
    self.name = name
    self.app = app
    self.count = count
    self.firstAt = firstAt
    self.lastAt = lastAt
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("containerID", containerID)
      writer.member("recordType", recordType)
      writer.member("kind", kind)
      writer.member("name", name)
      writer.member("app", app)
      writer.member("count", count)
      writer.member("firstAt", firstAt)
      writer.member("lastAt", lastAt)
    }
  }

  public init(json: JSONView) throws(WireError) {
    containerID = try json.requiredString("containerID")
    recordType = try json.requiredString("recordType")
    kind = try json.requiredString("kind")
    name = try json.requiredString("name")
    app = try json.requiredString("app")
    count = json["count"]?.int64 ?? 0
    firstAt = json["firstAt"]?.int64 ?? 0
    lastAt = json["lastAt"]?.int64 ?? 0
  }
}

extension LackItem {
  /// The missing part in words, for example `the record type 'Note'`.
  public var part: String {
    switch kind {
    case "type": "the record type '\(recordType)'"
    case "field": "the field '\(recordType).\(name)'"
    default: "the index '\(recordType).\(name)'"
    }
  }
}

/// A container of a running server.
public struct ContainerItem: JSONWritable, JSONReadable, Hashable {
  public var id: String
  /// The existing stores of the container.
  public var stores: [StoreItem]

  public init(id: String, stores: [StoreItem]) {
    self.id = id
    self.stores = stores
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("id", id)
      writer.member("stores", array: stores)
    }
  }

  public init(json: JSONView) throws(WireError) {
    id = try json.requiredString("id")
    stores = try json.requiredArray("stores")
  }
}

/// The store of a container in one environment.
public struct StoreItem: JSONWritable, JSONReadable, Hashable {
  public var environment: ContainerEnvironment
  /// Whether the server has opened the store. With SQLite, the server closes a store after a while
  /// without requests.
  public var isOpen: Bool
  /// The number of bytes of the store's file and log, or of its tables and indexes in PostgreSQL,
  /// without assets. It is 0 for a store in memory.
  public var sizeBytes: Int64

  public init(environment: ContainerEnvironment, isOpen: Bool, sizeBytes: Int64) {
    self.environment = environment
    self.isOpen = isOpen
    self.sizeBytes = sizeBytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("environment", environment.rawValue)
      writer.member("open", isOpen)
      writer.member("sizeBytes", sizeBytes)
    }
  }

  public init(json: JSONView) throws(WireError) {
    environment = try json.environment()
    isOpen = json["open"]?.bool ?? false
    sizeBytes = json["sizeBytes"]?.int64 ?? 0
  }
}
