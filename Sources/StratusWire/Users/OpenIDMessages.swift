/// The description of an identity provider (OpenID Connect Discovery 1.0 §3, RFC 8414). Unknown
/// members are ignored.
public struct ProviderDescription: JSONReadable, Hashable {
  public var issuer: String
  /// The URL of the page on which the user signs in.
  public var authorizationURL: String
  public var tokenURL: String
  public var keysURL: String
  /// The ways in which a client can prove its identity at the token URL, or nil if they are not
  /// stated.
  public var tokenMethods: [String]?
  /// Whether answers of the authorization page name the issuer (RFC 9207).
  public var namesIssuer: Bool

  public init(json: JSONView) throws(WireError) {
    issuer = try json.requiredString("issuer")
    authorizationURL = try json.requiredString("authorization_endpoint")
    tokenURL = try json.requiredString("token_endpoint")
    keysURL = try json.requiredString("jwks_uri")
    tokenMethods = try json.strings("token_endpoint_auth_methods_supported")
    namesIssuer =
      try json.optionalBool("authorization_response_iss_parameter_supported") ?? false
  }
}

/// A public key of an identity provider (RFC 7517).
public struct WebKey: JSONReadable, Hashable {
  /// The kind of the key: `RSA`, `EC` or `OKP`.
  public var type: String
  /// The name of the key, or nil.
  public var id: String?
  /// The use of the key: `sig`, `enc`, or nil for both.
  public var use: String?
  /// The only algorithm with which the key may be used, or nil if the key names none.
  public var algorithm: String?
  /// The curve of the key, or nil for an RSA key.
  public var curve: String?
  /// The numbers of the key, in the base64 encoding for URLs.
  public var modulus: String?
  public var exponent: String?
  public var x: String?
  public var y: String?

  public init(json: JSONView) throws(WireError) {
    type = try json.requiredString("kty")
    id = try json.optionalString("kid")
    use = try json.optionalString("use")
    algorithm = try json.optionalString("alg")
    curve = try json.optionalString("crv")
    modulus = try json.optionalString("n")
    exponent = try json.optionalString("e")
    x = try json.optionalString("x")
    y = try json.optionalString("y")
  }
}

/// The public keys of an identity provider (RFC 7517 §5).
public struct WebKeySet: JSONReadable {
  public var keys: [WebKey]

  public init(json: JSONView) throws(WireError) { keys = try json.requiredArray("keys") }
}

/// The answer to the exchange of a code (OpenID Connect Core 1.0 §3.1.3.3). Only the ID token is
/// used.
public struct CodeAnswer: JSONReadable {
  public var idToken: String

  public init(json: JSONView) throws(WireError) { idToken = try json.requiredString("id_token") }
}

/// The header of a signed token (RFC 7515 §4).
public struct SignedTokenHeader: JSONReadable, Hashable {
  public var algorithm: String
  public var keyID: String?
  /// Whether the header has extensions that the reader must understand.
  public var isExtended: Bool

  public init(json: JSONView) throws(WireError) {
    algorithm = try json.requiredString("alg")
    keyID = try json.optionalString("kid")
    isExtended = json["crit"] != nil
  }
}

/// The claims of an ID token (OpenID Connect Core 1.0 §2 and §5.1). All times are in seconds since
/// 1970 UTC.
public struct IDTokenClaims: JSONReadable, Hashable {
  public var issuer: String
  public var subject: String
  public var audience: [String]
  public var authorizedParty: String?
  public var expiresAt: Int64
  public var issuedAt: Int64
  public var notBefore: Int64?
  public var nonce: String?
  public var email: String?
  public var isEmailVerified: Bool
  public var phoneNumber: String?
  public var isPhoneVerified: Bool

  public init(json: JSONView) throws(WireError) {
    issuer = try json.requiredString("iss")
    subject = try json.requiredString("sub")
    if let one = json["aud"]?.string {
      audience = [one]
    } else {
      audience = try json.strings("aud") ?? []
    }
    authorizedParty = try json.optionalString("azp")
    guard let expiresAt = json["exp"]?.int64 else { throw .missing("exp") }
    guard let issuedAt = json["iat"]?.int64 else { throw .missing("iat") }
    self.expiresAt = expiresAt
    self.issuedAt = issuedAt
    notBefore = json["nbf"]?.int64
    nonce = try json.optionalString("nonce")
    email = try json.optionalString("email")
    phoneNumber = try json.optionalString("phone_number")
    isEmailVerified = Self.flag(json["email_verified"])
    isPhoneVerified = Self.flag(json["phone_number_verified"])
  }

  /// Reads a Boolean, which some providers write as a text.
  private static func flag(_ value: JSONView?) -> Bool {
    value?.bool ?? (value?.string == "true")
  }
}
