/// A change on the server, for the pages of the console that show the changed part. It has no
/// contents and no names of records or users.
public struct ConsoleChange: JSONWritable, JSONReadable, Hashable {
  /// The first part of the path of the endpoint that made the change, for example `records` or
  /// `schema`. It is ``everything`` if changes were lost on the way to the page.
  public var area: String
  /// The container that the request named, or nil if it named none.
  public var containerID: String?
  public var environment: ContainerEnvironment?
  /// The database that has changed, or nil if the change concerns no single database.
  public var database: DatabaseScope?

  public init(
    area: String, containerID: String? = nil, environment: ContainerEnvironment? = nil,
    database: DatabaseScope? = nil
  ) {
    self.area = area
    self.containerID = containerID
    self.environment = environment
    self.database = database
  }

  /// The area of a change that stands for changes of all areas.
  public static let everything = "everything"

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("area", area)
      writer.member("containerID", containerID)
      writer.member("environment", environment?.rawValue)
      writer.member("database", database?.rawValue)
    }
  }

  public init(json: JSONView) throws(WireError) {
    area = try json.requiredString("area")
    containerID = try json.optionalString("containerID")
    environment = try json.optionalString("environment").flatMap {
      ContainerEnvironment(rawValue: $0)
    }
    database = try json.optionalString("database").flatMap {
      DatabaseScope(rawValue: $0)
    }
  }
}

/// The data of an event that tells a page of the console what has changed.
public struct ConsoleChanges: JSONWritable {
  public var changes: [ConsoleChange]

  public init(changes: [ConsoleChange]) { self.changes = changes }

  public func write(to writer: inout JSONWriter) {
    writer.object { $0.member("changes", array: changes) }
  }
}
