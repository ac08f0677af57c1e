public import Foundation
import StratusAccounts

/// The settings of an identity provider (OpenID Connect).
public struct ProviderSettings: Sendable {
  /// The name in URLs: lower-case letters, digits and hyphens.
  public var id: String
  /// The name on the button of the sign-in page.
  public var name: String
  public var issuer: String
  public var clientID: String
  public var clientSecret: String?
  /// The algorithm of ID tokens: `RS256`, `PS256`, `ES256` or `EdDSA`.
  public var algorithm: String
  /// The domains of e-mail addresses that the operator trusts the provider to verify.
  public var trustedDomains: Set<String>
  /// Whether the operator trusts the provider to verify telephone numbers.
  public var isTrustedForPhones = false
  /// The file from which the secret was read, or nil if it was not in a file.
  public var secretFile: URL?

  /// The possible values of ``algorithm``.
  public static let algorithms = IdentityProvider.SignatureAlgorithm.allCases.map(\.rawValue)

  public init(
    id: String, name: String, issuer: String, clientID: String, clientSecret: String?,
    algorithm: String, trustedDomains: Set<String>, secretFile: URL?
  ) {
    self.id = id
    self.name = name
    self.issuer = issuer
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.algorithm = algorithm
    self.trustedDomains = trustedDomains
    self.secretFile = secretFile
  }

  /// Whether the server may send requests to this issuer.
  public static func isPermitted(issuer: String) -> Bool {
    IdentityProvider.isPermitted(issuer) && !issuer.contains("?") && !issuer.contains("#")
  }

  var provider: IdentityProvider {
    IdentityProvider(
      id: id, name: name, issuer: issuer, clientID: clientID, clientSecret: clientSecret,
      algorithm: IdentityProvider.SignatureAlgorithm(rawValue: algorithm) ?? .rs256,
      trustedDomains: trustedDomains, isTrustedForPhones: isTrustedForPhones)
  }
}

extension Settings {
  /// The client of the identity providers, or nil if there are none.
  var providerClient: ProviderClient? {
    if providers.isEmpty { return nil }
    return ProviderClient(providers.map(\.provider), requests: ProviderRequests())
  }
}
