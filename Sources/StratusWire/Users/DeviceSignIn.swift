/// The messages with which a program without a browser signs a user in (RFC 8628, the device
/// authorization grant), and signs the user out (RFC 7009).
///
/// The requests are forms, as the RFCs demand. The answers are JSON.
public enum DeviceSignIn {
  /// The path at which a program begins a sign-in.
  public static let authorizationPath = "/auth/device-authorization"
  /// The path at which a program asks for the token.
  public static let tokenPath = "/auth/token"
  /// The path at which a program ends the session of a token.
  public static let revocationPath = "/auth/revoke"
  /// The value of the field `grant_type` in a request for the token.
  public static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

  /// The names of the fields of the requests.
  public enum Field {
    /// The API token of the app.
    public static let apiToken = "client_id"
    /// The name of the machine, which the user sees before the approval.
    public static let machine = "device_name"
    public static let grantType = "grant_type"
    public static let deviceCode = "device_code"
    /// The web auth token whose session ends.
    public static let token = "token"
  }

  /// The answer to the beginning of a sign-in (RFC 8628 §3.2).
  public struct Authorization: JSONWritable, JSONReadable, Hashable {
    /// The secret with which the program asks for the token.
    public var deviceCode: String
    /// The code that the user compares or types.
    public var userCode: String
    /// The URL of the page on which the user types the code.
    public var verificationURL: String
    /// The URL of the page, including the code.
    public var completeVerificationURL: String?
    /// The number of seconds until the codes expire.
    public var expiresInSeconds: Int64
    /// The minimum number of seconds between two requests for the token.
    public var intervalSeconds: Int64

    public init(
      deviceCode: String, userCode: String, verificationURL: String,
      completeVerificationURL: String?, expiresInSeconds: Int64, intervalSeconds: Int64
    ) {
      self.deviceCode = deviceCode
      self.userCode = userCode
      self.verificationURL = verificationURL
      self.completeVerificationURL = completeVerificationURL
      self.expiresInSeconds = expiresInSeconds
      self.intervalSeconds = intervalSeconds
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("device_code", deviceCode)
        writer.member("user_code", userCode)
        writer.member("verification_uri", verificationURL)
        writer.member("verification_uri_complete", completeVerificationURL)
        writer.member("expires_in", expiresInSeconds)
        writer.member("interval", intervalSeconds)
      }
    }

    public init(json: JSONView) throws(WireError) {
      deviceCode = try json.requiredString("device_code")
      userCode = try json.requiredString("user_code")
      verificationURL = try json.requiredString("verification_uri")
      completeVerificationURL = json["verification_uri_complete"]?.string
      expiresInSeconds = json["expires_in"]?.int64 ?? 600
      // RFC 8628 §3.2: the default of `interval` is 5.
      intervalSeconds = json["interval"]?.int64 ?? 5
    }
  }

  /// The answer with the token (RFC 6749 §5.1).
  public struct Token: JSONWritable, JSONReadable, Hashable {
    /// The web auth token.
    public var webAuthToken: String
    /// The container for which the token is valid, or nil if it is valid for all containers.
    public var containerID: String?
    /// The environment for which the token is valid, or nil if it is valid for both.
    public var environment: ContainerEnvironment?

    /// The `token_type`, which every answer contains.
    static let type = "ckWebAuthToken"

    public init(
      webAuthToken: String, containerID: String?, environment: ContainerEnvironment?
    ) {
      self.webAuthToken = webAuthToken
      self.containerID = containerID
      self.environment = environment
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("access_token", webAuthToken)
        writer.member("token_type", Self.type)
        writer.member("containerID", containerID)
        writer.member("environment", environment?.rawValue)
      }
    }

    public init(json: JSONView) throws(WireError) {
      webAuthToken = try json.requiredString("access_token")
      containerID = json["containerID"]?.string
      environment = json["environment"]?.string.flatMap(ContainerEnvironment.init)
    }
  }

  /// The answer to a request that fails, or that cannot succeed yet (RFC 6749 §5.2, RFC 8628 §3.5).
  public struct Refusal: JSONWritable, JSONReadable, Hashable, Error {
    /// The error codes of the two standards.
    public enum Code: String, Sendable, CaseIterable {
      /// The user has not decided yet.
      case authorizationPending = "authorization_pending"
      /// The program must wait 5 seconds longer between two requests.
      case slowDown = "slow_down"
      /// The user has refused.
      case accessDenied = "access_denied"
      /// The codes have expired.
      case expiredToken = "expired_token"
      /// The API token is not valid.
      case invalidClient = "invalid_client"
      case invalidRequest = "invalid_request"
      case unsupportedGrantType = "unsupported_grant_type"
    }

    public var code: Code
    /// A sentence for the developer of the program, or nil.
    public var description: String?

    public init(_ code: Code, _ description: String? = nil) {
      self.code = code
      self.description = description
    }

    public func write(to writer: inout JSONWriter) {
      writer.object { writer in
        writer.member("error", code.rawValue)
        writer.member("error_description", description)
      }
    }

    public init(json: JSONView) throws(WireError) {
      guard let code = Code(rawValue: try json.requiredString("error")) else {
        throw .wrongType("error", expected: "an error code of RFC 8628")
      }
      self.code = code
      description = json["error_description"]?.string
    }
  }
}
