import ArgumentParser
import Foundation
import StratusServer

/// The options for identity providers (OpenID Connect).
struct ProviderOptions: ParsableArguments {
  /// The names of the settings of a provider.
  private static let names: Set = [
    "id", "name", "issuer", "client-id", "secret-file", "algorithm", "trust-mail",
    "trust-phone",
  ]

  @Option(
    name: .customLong("identity-provider"),
    help: ArgumentHelp(
      """
      An OpenID Connect provider at which users can sign in, as settings with commas: id=ID, \
      issuer=URL, client-id=ID, and optionally name=NAME, secret-file=FILE, algorithm=RS256, \
      trust-mail=DOMAINS and trust-phone=yes. May be given several times.
      """, valueName: "settings"))
  var identityProviders: [String] = []

  /// - Throws: `Failure` with a sentence that says which setting is missing or wrong.
  func settings(publicURL: String?) throws -> [ProviderSettings] {
    if !identityProviders.isEmpty, publicURL == nil {
      throw Failure(
        "--identity-provider needs --public-url, which is the beginning of the redirect URL")
    }
    var providers: [ProviderSettings] = []
    for text in identityProviders {
      let provider = try Self.provider(text)
      guard !providers.contains(where: { $0.id == provider.id || $0.issuer == provider.issuer })
      else { throw Failure("two --identity-provider have the same ID or the same issuer") }
      providers.append(provider)
    }
    return providers
  }

  private static func provider(_ text: String) throws -> ProviderSettings {
    var values: [String: String] = [:]
    for part in text.split(separator: ",") {
      let pair = part.split(separator: "=", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard pair.count == 2, names.contains(pair[0]), values[pair[0]] == nil, !pair[1].isEmpty
      else {
        throw Failure(
          "--identity-provider has the settings \(names.sorted().joined(separator: ", ")), each "
            + "once, as 'name=value'")
      }
      values[pair[0]] = pair[1]
    }
    guard let id = values["id"], let issuer = values["issuer"],
      let clientID = values["client-id"]
    else { throw Failure("--identity-provider needs id, issuer and client-id") }
    guard id.wholeMatch(of: /[a-z0-9][a-z0-9\-]{0,31}/) != nil else {
      throw Failure(
        "the id of --identity-provider has lower-case letters, digits and hyphens, such as 'work'")
    }
    guard ProviderSettings.isPermitted(issuer: issuer) else {
      throw Failure("the issuer of --identity-provider '\(id)' must begin with https://")
    }
    let algorithm = values["algorithm"] ?? "RS256"
    guard ProviderSettings.algorithms.contains(algorithm) else {
      throw Failure(
        "the algorithm of --identity-provider '\(id)' must be "
          + ProviderSettings.algorithms.joined(separator: ", "))
    }
    let domains = (values["trust-mail"] ?? "").lowercased().split(separator: " ").map(String.init)
    guard values["trust-phone"].map({ ["yes", "no"].contains($0) }) ?? true else {
      throw Failure("trust-phone of --identity-provider '\(id)' must be yes or no")
    }
    let file = values["secret-file"]
    var settings = ProviderSettings(
      id: id, name: values["name"] ?? id, issuer: issuer, clientID: clientID,
      clientSecret: try secret(of: id, in: file), algorithm: algorithm,
      trustedDomains: Set(domains), secretFile: file.map { URL(fileURLWithPath: $0) })
    settings.isTrustedForPhones = values["trust-phone"] == "yes"
    return settings
  }

  /// Reads the secret of a provider from a file or from the environment.
  private static func secret(of id: String, in file: String?) throws -> String? {
    let text: String?
    if let file {
      guard let data = FileManager.default.contents(atPath: file) else {
        throw Failure("the secret-file '\(file)' cannot be read; check its name and rights")
      }
      text = String(decoding: data, as: UTF8.self)
    } else {
      let name = id.uppercased().replacing("-", with: "_")
      text = ProcessInfo.processInfo.environment["STRATUS_PROVIDER_SECRET_\(name)"]
    }
    guard let secret = text?.trimmingCharacters(in: .whitespacesAndNewlines) else { return nil }
    guard !secret.isEmpty else { throw Failure("the secret of the provider '\(id)' is empty") }
    return secret
  }
}
