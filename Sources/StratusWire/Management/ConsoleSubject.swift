/// The members of a request's body that decide which permission in the console the request needs.
public struct ConsoleSubject: Sendable, Hashable, JSONReadable {
  /// The container that the request names, or nil if it names none.
  public var containerID: String?
  public var environment: ContainerEnvironment?
  /// Whether the request only asks what would change.
  public var isDryRun: Bool
  /// The ID of a token, key or session that the request names.
  public var id: String?
  /// The account that the request names.
  public var email: String?
  /// The role, or the name of a new token or key, that the request names.
  public var name: String?

  public init(
    containerID: String? = nil, environment: ContainerEnvironment? = nil, isDryRun: Bool = false,
    id: String? = nil, email: String? = nil, name: String? = nil
  ) {
    self.containerID = containerID
    self.environment = environment
    self.isDryRun = isDryRun
    self.id = id
    self.email = email
    self.name = name
  }

  /// NB: the handler reads the body with the same code, so the handler sees the values by which the
  /// permission was decided.
  public init(json: JSONView) throws(WireError) {
    containerID = try json.optionalString("containerID")
    environment = try json.optionalString("environment").flatMap {
      ContainerEnvironment(rawValue: $0)
    }
    isDryRun = try json.optionalBool("isDryRun") ?? false
    id = try json.optionalString("id")
    email = try json.optionalString("email")
    let role = try json.optionalString("role")
    let named = try json.optionalString("name")
    name = role ?? named
  }
}
