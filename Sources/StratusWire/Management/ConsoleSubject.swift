/// The members of a request's body that decide which permission in the console the request needs.
public struct ConsoleSubject: Sendable, Hashable, JSONReadable {
  /// The container that the request names, or nil if it names none.
  public var containerID: String?
  public var environment: ContainerEnvironment?
  /// Whether the request only asks what would change.
  public var isDryRun: Bool

  public init(
    containerID: String? = nil, environment: ContainerEnvironment? = nil, isDryRun: Bool = false
  ) {
    self.containerID = containerID
    self.environment = environment
    self.isDryRun = isDryRun
  }

  /// NB: the handler reads the body with the same code, so both see the same members.
  public init(json: JSONView) throws(WireError) {
    containerID = try json.optionalString("containerID")
    environment = try json.optionalString("environment").flatMap {
      ContainerEnvironment(rawValue: $0)
    }
    isDryRun = try json.optionalBool("isDryRun") ?? false
  }
}
