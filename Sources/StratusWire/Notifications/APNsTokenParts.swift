/// The header of the JSON Web Token with which the server identifies itself to Apple's push
/// service.
///
/// Source: Apple, *Establishing a token-based connection to APNs*; RFC 7519.
public struct APNsTokenHeader: Sendable, JSONWritable, JSONReadable {
  public static let algorithm = "ES256"

  public var algorithm: String
  /// The ID of the team's signing key.
  public var keyID: String

  public init(keyID: String) {
    algorithm = Self.algorithm
    self.keyID = keyID
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("alg", algorithm)
      writer.member("kid", keyID)
    }
  }

  public init(json: JSONView) throws(WireError) {
    algorithm = try json.requiredString("alg")
    keyID = try json.requiredString("kid")
  }
}

/// The claims of the JSON Web Token with which the server identifies itself to Apple's push
/// service.
public struct APNsTokenClaims: Sendable, JSONWritable, JSONReadable {
  public var teamID: String
  /// The time at which the token was issued, in seconds since 1970 UTC.
  public var issuedAt: Int64

  public init(teamID: String, issuedAt: Int64) {
    self.teamID = teamID
    self.issuedAt = issuedAt
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("iss", teamID)
      writer.member("iat", issuedAt)
    }
  }

  public init(json: JSONView) throws(WireError) {
    teamID = try json.requiredString("iss")
    guard let seconds = json["iat"]?.int64 else { throw .missing("iat") }
    issuedAt = seconds
  }
}
