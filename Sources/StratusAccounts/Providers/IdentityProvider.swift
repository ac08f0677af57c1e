import StratusDomain

/// An identity provider at which users sign in, as the operator has configured it (OpenID Connect).
public struct IdentityProvider: Sendable, Hashable {
  /// The name in URLs: lower-case letters, digits and hyphens.
  public var id: String
  /// The name on the button of the sign-in page.
  public var name: String
  /// The URL that identifies the provider. Its description is at
  /// `/.well-known/openid-configuration` below this URL.
  public var issuer: String
  /// The ID of this server at the provider.
  public var clientID: String
  /// The secret of this server at the provider, or nil for a public client.
  public var clientSecret: String?
  /// The only algorithm of ID tokens that the server accepts from this provider.
  public var algorithm: SignatureAlgorithm
  /// The domains of e-mail addresses for which the operator trusts the provider. `*` means all
  /// domains. An address in another domain never links or creates an account.
  public var trustedDomains: Set<String>
  /// Whether the operator trusts the provider to verify telephone numbers.
  public var isTrustedForPhones: Bool

  /// The algorithms of signatures (RFC 7518 §3.1, RFC 8037 §3.1).
  public enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case ps256 = "PS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
  }

  public init(
    id: String, name: String, issuer: String, clientID: String, clientSecret: String? = nil,
    algorithm: SignatureAlgorithm = .rs256, trustedDomains: Set<String> = [],
    isTrustedForPhones: Bool = false
  ) {
    self.id = id
    self.name = name
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.algorithm = algorithm
    self.trustedDomains = trustedDomains
    self.isTrustedForPhones = isTrustedForPhones
  }

  /// The claims that the server asks the provider for (OpenID Connect Core 1.0 §5.4).
  var scope: String { isTrustedForPhones ? "openid email phone" : "openid email" }

  /// Whether the operator trusts the provider for the domain of an e-mail address.
  func trusts(_ email: String) -> Bool {
    guard let at = email.lastIndex(of: "@") else { return false }
    let domain = email[email.index(after: at)...].lowercased()
    return !domain.isEmpty && (trustedDomains.contains("*") || trustedDomains.contains(domain))
  }

  /// Whether the server may send requests to a URL. The URL must use HTTPS or lead to this machine,
  /// and must not contain a user name.
  public static func isPermitted(_ url: String) -> Bool {
    url.utf8.count <= 2_000 && Visit.isPrivate(url)
      && url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      && !url.drop { $0 != "/" }.dropFirst(2).prefix { $0 != "/" }.contains("@")
  }
}
