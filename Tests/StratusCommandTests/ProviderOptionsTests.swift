import Foundation
import StratusServer
import StratusWire
import Testing

@testable import stratus

@Suite struct `The options for identity providers` {
  private func settings(_ text: String) throws -> Settings {
    try ConfigFile(path: "stratus.yaml", text: text).command(with: []).settings()
  }

  /// The error message for a configuration, as the operator reads it.
  private func fault(_ text: String) -> String {
    do {
      _ = try settings(text)
      return ""
    } catch { return "\(error)" }
  }

  private static let url = "public-url: https://cloud.example.org\n"

  @Test func `a configuration file names any number of providers`() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("stratus-secret-\(UUID().uuidString)")
    try Data("a secret\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let providers = try settings(
      Self.url
        + """
        identity-provider:
          - >-
            id=work, name=Example Inc., issuer=https://id.example.org/a=b, client-id=one,
            secret-file=\(file.path), trust-mail=Example.org example.com
          - id=other-2,issuer=http://localhost:5556/dex,client-id=2,algorithm=EdDSA,trust-phone=yes
        """
    ).providers
    try #require(providers.count == 2)
    #expect(providers[0].name == "Example Inc.")
    #expect(providers[0].issuer == "https://id.example.org/a=b")
    #expect(providers[0].clientSecret == "a secret")
    #expect(providers[0].algorithm == "RS256")
    #expect(providers[0].trustedDomains == ["example.org", "example.com"])
    #expect(providers[1].name == "other-2")
    #expect(providers[1].clientSecret == nil)
    #expect(providers[1].algorithm == "EdDSA")
    #expect(providers.map(\.isTrustedForPhones) == [false, true])
  }

  @Test(arguments: [
    ("id=work", "needs id, issuer and client-id"),
    ("id=Work,issuer=https://a.example,client-id=b", "lower-case letters"),
    ("id=../x,issuer=https://a.example,client-id=b", "lower-case letters"),
    ("id=work,issuer=http://a.example,client-id=b", "must begin with https://"),
    ("id=work,issuer=https://a.example?b,client-id=b", "must begin with https://"),
    ("id=work,issuer=https://a.example,client-id=b,algorithm=none", "must be RS256"),
    ("id=work,issuer=https://a.example,client-id=b,algorithm=HS256", "must be RS256"),
    ("id=work,issuer=https://a.example,client-id=b,secret=c", "has the settings"),
    ("id=work,issuer=https://a.example,client-id=b,id=c", "each once"),
    ("id=work,issuer=https://a.example,client-id=b,trust-phone=1", "must be yes or no"),
    ("id=work,issuer=https://a.example,client-id=b,secret-file=/none/x", "cannot be read"),
  ])
  func `a wrong setting of an identity provider is refused with its reason`(
    text: String, sentence: String
  ) {
    #expect(fault(Self.url + "identity-provider: '\(text)'").contains(sentence))
  }

  @Test func `two providers with the same ID are refused, and a provider needs a public URL`() {
    let one = "id=work,issuer=https://a.example,client-id=b"
    #expect(fault("identity-provider: '\(one)'").contains("needs --public-url"))
    #expect(
      fault(Self.url + "identity-provider: ['\(one)', '\(one)']").contains("the same ID"))
  }
}
