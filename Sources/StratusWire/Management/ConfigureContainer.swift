/// Management: changes the operator's settings of a container in one environment.
public enum ConfigureContainer: Endpoint {
  public static let path = "containers/configure"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// Whether queries may use extensions that CloudKit lacks. nil means unchanged.
    public var allowsQueryExtensions: Bool?
    /// Whether a saved `deleteSelf` reference needs an existing target. nil means unchanged.
    public var requiresReferenceTargets: Bool?

    public init(
      containerID: String, environment: ContainerEnvironment, allowsQueryExtensions: Bool? = nil,
      requiresReferenceTargets: Bool? = nil
    ) {
      self.containerID = containerID
      self.environment = environment
      self.allowsQueryExtensions = allowsQueryExtensions
      self.requiresReferenceTargets = requiresReferenceTargets
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("containerID", containerID)
        writer.member("environment", environment.rawValue)
        writer.member("allowsQueryExtensions", allowsQueryExtensions)
        writer.member("requiresReferenceTargets", requiresReferenceTargets)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      allowsQueryExtensions = try json.optionalBool("allowsQueryExtensions")
      requiresReferenceTargets = try json.optionalBool("requiresReferenceTargets")
    }
  }

  /// The current settings.
  public struct Response: JSONWritable, JSONReadable {
    public var allowsQueryExtensions: Bool
    public var requiresReferenceTargets: Bool

    public init(allowsQueryExtensions: Bool, requiresReferenceTargets: Bool) {
      self.allowsQueryExtensions = allowsQueryExtensions
      self.requiresReferenceTargets = requiresReferenceTargets
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("allowsQueryExtensions", allowsQueryExtensions)
        writer.member("requiresReferenceTargets", requiresReferenceTargets)
      }
    }

    public init(json: JSONView) throws(WireError) {
      allowsQueryExtensions = try json.optionalBool("allowsQueryExtensions") ?? false
      requiresReferenceTargets = try json.optionalBool("requiresReferenceTargets") ?? false
    }
  }
}
