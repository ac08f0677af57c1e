/// The output of `stratus whoami --json`.
public struct CallerReport: JSONWritable {
  /// The URL of the server.
  public var url: String
  public var containerID: String
  public var environment: ContainerEnvironment
  /// The user's record name in the container.
  public var userRecordName: String

  public init(
    url: String, containerID: String, environment: ContainerEnvironment, userRecordName: String
  ) {
    self.url = url
    self.containerID = containerID
    self.environment = environment
    self.userRecordName = userRecordName
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("url", url)
      writer.member("containerID", containerID)
      writer.member("environment", environment.rawValue)
      writer.member("userRecordName", userRecordName)
    }
  }
}
