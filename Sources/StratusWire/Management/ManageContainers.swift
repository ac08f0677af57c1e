/// Management: creates a container.
public enum CreateContainer: Endpoint {
  public static let path = "containers/create"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String

    public init(containerID: String) { self.containerID = containerID }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("containerID", containerID) }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
    }
  }

  public typealias Response = EmptyRequest
}

/// Management: deletes a container and all its data.
public enum DeleteContainer: Endpoint {
  public static let path = "containers/delete"

  public typealias Request = CreateContainer.Request
  public typealias Response = EmptyRequest
}

/// Management: lists the IDs of all containers, in sorted order.
public enum ListContainers: Endpoint {
  public static let path = "containers/list"

  public typealias Request = EmptyRequest

  public struct Response: JSONWritable, JSONReadable {
    public var containerIDs: [String]

    public init(containerIDs: [String]) { self.containerIDs = containerIDs }

    public func write(to writer: inout JSONWriter) {
      writer.object { $0.member("containers", strings: containerIDs) }
    }

    public init(json: JSONView) throws(WireError) {
      containerIDs = try json.strings("containers") ?? []
    }
  }
}
