/// Management: changes the operator's settings of a container in one environment.
public enum ConfigureContainer: Endpoint {
  public static let path = "containers/configure"

  public struct Request: JSONWritable, JSONReadable {
    public var containerID: String
    public var environment: ContainerEnvironment
    /// Whether queries may use the extensions that CloudKit does not have, such as `ENDS_WITH`. nil
    /// means unchanged.
    public var allowsQueryExtensions: Bool?
    /// Whether a saved `deleteSelf` reference needs an existing target. nil means unchanged.
    public var requiresReferenceTargets: Bool?
    /// The URL with which the page of a share opens the app. nil means unchanged, and an empty text
    /// removes the URL.
    public var shareAppURL: String?
    /// The web page for people who cannot open the app. nil means unchanged, and an empty text
    /// removes the URL.
    public var shareFallbackURL: String?
    /// Whether the server mails invitations to the addresses that a share invites. nil means
    /// unchanged.
    public var mailsInvitations: Bool?
    /// The number of days for which the earlier states of records are kept. 0 means that they are
    /// not kept, and nil means unchanged.
    public var versionDays: Int64?

    public init(
      containerID: String, environment: ContainerEnvironment, allowsQueryExtensions: Bool? = nil,
      requiresReferenceTargets: Bool? = nil, shareAppURL: String? = nil,
      shareFallbackURL: String? = nil, mailsInvitations: Bool? = nil, versionDays: Int64? = nil
    ) {
      self.versionDays = versionDays
      self.mailsInvitations = mailsInvitations
      self.shareAppURL = shareAppURL
      self.shareFallbackURL = shareFallbackURL
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
        writer.member("shareAppURL", shareAppURL)
        writer.member("shareFallbackURL", shareFallbackURL)
        writer.member("mailsInvitations", mailsInvitations)
        writer.member("versionDays", versionDays)
      }
    }

    public init(json: JSONView) throws(WireError) {
      containerID = try json.requiredString("containerID")
      environment = try json.environment()
      allowsQueryExtensions = try json.optionalBool("allowsQueryExtensions")
      requiresReferenceTargets = try json.optionalBool("requiresReferenceTargets")
      shareAppURL = try json.optionalString("shareAppURL")
      shareFallbackURL = try json.optionalString("shareFallbackURL")
      mailsInvitations = try json.optionalBool("mailsInvitations")
      versionDays = try json.optionalNumber("versionDays")
    }
  }

  /// The settings after the change.
  public struct Response: JSONWritable, JSONReadable {
    public var allowsQueryExtensions: Bool
    public var requiresReferenceTargets: Bool
    public var shareAppURL: String?
    public var shareFallbackURL: String?
    public var mailsInvitations: Bool
    /// The number of days for which the earlier states of records are kept, or nil if they are not
    /// kept.
    public var versionDays: Int64?

    public init(
      allowsQueryExtensions: Bool, requiresReferenceTargets: Bool, shareAppURL: String? = nil,
      shareFallbackURL: String? = nil, mailsInvitations: Bool = false, versionDays: Int64? = nil
    ) {
      self.versionDays = versionDays
      self.mailsInvitations = mailsInvitations
      self.shareAppURL = shareAppURL
      self.shareFallbackURL = shareFallbackURL
      self.allowsQueryExtensions = allowsQueryExtensions
      self.requiresReferenceTargets = requiresReferenceTargets
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("allowsQueryExtensions", allowsQueryExtensions)
        writer.member("requiresReferenceTargets", requiresReferenceTargets)
        writer.member("shareAppURL", shareAppURL)
        writer.member("shareFallbackURL", shareFallbackURL)
        writer.member("mailsInvitations", mailsInvitations)
        writer.member("versionDays", versionDays)
      }
    }

    public init(json: JSONView) throws(WireError) {
      allowsQueryExtensions = try json.optionalBool("allowsQueryExtensions") ?? false
      requiresReferenceTargets = try json.optionalBool("requiresReferenceTargets") ?? false
      shareAppURL = try json.optionalString("shareAppURL")
      shareFallbackURL = try json.optionalString("shareFallbackURL")
      mailsInvitations = try json.optionalBool("mailsInvitations") ?? false
      versionDays = try json.optionalNumber("versionDays")
    }
  }
}
