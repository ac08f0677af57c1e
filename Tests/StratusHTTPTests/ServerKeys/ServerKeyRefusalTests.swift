import Crypto
import Foundation
import HTTPTypes
import StratusTesting
import StratusWire
import Testing

/// Signed requests that the server must refuse.
@Suite struct `Refused signed requests` {
  private static let lookup: JSON = ["records": [["recordName": "n-1"]]]

  /// Sends one request that must fail, and shows that the unchanged request succeeds.
  private func refuse(
    _ what: String, reason: String = "Authentication failed", query: String = "",
    sentBody: JSON? = nil, _ change: @escaping (inout SigningClient.Signing) -> Void = { _ in }
  ) async throws {
    try await withServerKey { _, program in
      try await program.send(
        "records/lookup", Self.lookup, query: query, sentBody: sentBody, change
      ).expectUnauthenticated(what, reason: reason)
      #expect(try await program.send("records/lookup", Self.lookup).status == 200, "\(what)")
    }
  }

  @Test func `a signature over another body is refused`() async throws {
    try await refuse("another body", sentBody: ["records": [["recordName": "n-2"]]])
    try await refuse("no hash of a body") { $0.bodyText = "" }
    try await refuse("the hash of nothing") {
      $0.bodyText = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    }
    try await refuse("the hash in hexadecimal") { signing in
      let bytes = (try? Self.lookup.bytes) ?? []
      signing.bodyText = SHA256.hash(data: Data(bytes)).map { String($0, radix: 16) }.joined()
    }
  }

  @Test(arguments: [
    "/database/1/iCloud.org.example.Notes/development/public/records/query",
    "/database/1/iCloud.org.example.Notes/production/public/records/lookup",
    "/database/1/iCloud.org.example.Other/development/public/records/lookup",
    "/database/1/iCloud.org.example.Notes/development/public/records/lookup?a=2",
    "/database/1/iCloud.org.example.Notes/development/public/records/lookup?",
    "database/1/iCloud.org.example.Notes/development/public/records/lookup",
    "https://stratus.test/database/1/iCloud.org.example.Notes/development/public/records/lookup",
    "",
  ])
  func `a signature over another path or query is refused`(path: String) async throws {
    try await refuse("signed \(path)", query: "a=1") { $0.path = path }
  }

  @Test func `a signature by another key than the named key is refused`() async throws {
    try await refuse("another key") { $0.privateKey = P256.Signing.PrivateKey() }
    try await refuse("an unknown key ID") { $0.keyID = String(repeating: "0a", count: 32) }
    for keyID in ["", "x", "*", String(repeating: "a", count: 10_000)] {
      try await refuse("key ID \(keyID.prefix(10))") { $0.keyID = keyID }
    }
    try await refuse("the key ID in upper case") { signing in
      signing.edit = {
        $0["X-Apple-CloudKit-Request-KeyID"] =
          $0["X-Apple-CloudKit-Request-KeyID"]?.uppercased()
      }
    }
  }

  @Test(arguments: [
    "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00+00:00", "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00", "2026-01-01T00:00:00z", "20260101T000000Z", "2025-12-32T00:00:00Z",
    "2026-02-30T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:00:60Z", "2026-00-01T00:00:00Z",
    "1767225600", "Thu, 01 Jan 2026 00:00:00 GMT", "٢٠٢٦-01-01T00:00:00Z", "",
  ])
  func `a signature with a malformed date is refused`(date: String) async throws {
    try await refuse("date \(date)") { $0.date = date }
  }

  @Test func `a signature whose date differs from the date header is refused`() async throws {
    try await refuse("another date") { signing in
      signing.edit = { $0["X-Apple-CloudKit-Request-ISO8601Date"] = "2026-01-01T00:00:01Z" }
    }
  }

  @Test func `a malformed signature is refused`() async throws {
    let name = "X-Apple-CloudKit-Request-SignatureV1"
    let changes: [(String, (Data) -> String)] = [
      ("raw r and s", { der in (try? Self.raw(der).base64EncodedString()) ?? "" }),
      ("without padding", { $0.base64EncodedString().replacing("=", with: "") + "A" }),
      ("hexadecimal", { $0.map { String($0, radix: 16) }.joined() }),
      ("a byte more", { ($0 + [0]).base64EncodedString() }),
      ("a byte less", { $0.dropLast().base64EncodedString() }),
      ("nothing", { _ in "" }), ("rubbish", { _ in "%%%" }),
      ("very long", { _ in String(repeating: "AAAA", count: 10_000) }),
      ("zeros", { _ in Data([0x30, 6, 2, 1, 0, 2, 1, 0]).base64EncodedString() }),
    ]
    for (what, form) in changes {
      try await refuse(what) { signing in
        signing.edit = { headers in
          headers[name] = form(Data(base64Encoded: headers[name] ?? "") ?? Data())
        }
      }
    }
  }

  private static func raw(_ der: Data) throws -> Data {
    try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation
  }

  @Test(arguments: ["KeyID", "ISO8601Date", "SignatureV1"])
  func `a signed request without one of the signature headers is refused`(name: String)
    async throws
  {
    try await refuse("no \(name)") { signing in
      signing.edit = { $0["X-Apple-CloudKit-Request-\(name)"] = nil }
    }
  }

  @Test func `a server key is refused in another container or environment`() async throws {
    try await withServerKey { _, program in
      for (container, environment) in [
        ("iCloud.org.example.Other", "development"), ("iCloud.org.example.Notes", "production"),
      ] {
        var client = program.client
        (client.container, client.environment) = (container, environment)
        let target = client.target("zones/list")
        let headers = try program.headers(target: target, body: [])
        try await client.send(.get, target, headers: headers)
          .expectUnauthenticated("\(container) \(environment)")
      }
    }
  }

  @Test(arguments: [-600, 600])
  func `a signed request with a date ten minutes in the past or future is still accepted`(
    seconds: Int64
  ) async throws {
    try await withServerKey { _, program in
      let answer = try await program.send("zones/list", secondsFromNow: seconds)
      #expect(answer.status == 200)
    }
  }

  @Test(arguments: [-601, 601, -86_400, 86_400 * 365])
  func `a signed request with a date too far in the past or future is refused with the reason`(
    seconds: Int64
  )
    async throws
  {
    try await withServerKey { _, program in
      try await program.send("zones/list", secondsFromNow: seconds)
        .expectUnauthenticated("its own key", reason: Reason.signatureDateWrong)
      // Only the holder of the key learns the reason.
      try await program.send("zones/list", secondsFromNow: seconds, by: P256.Signing.PrivateKey())
        .expectUnauthenticated("another key")
    }
  }

  @Test func `a revoked server key is refused, and other keys stay valid`() async throws {
    try await withServerKey { server, program in
      let other = try await SigningClient(
        server, clock: program.clock, container: program.client.container)
      #expect(try await program.send("zones/list").status == 200)
      try await server.manage("server-keys/revoke", ["id": "\(program.id)"])
      try await program.send("zones/list")
        .expectUnauthenticated("revoked", reason: Reason.serverKeyRevoked)
      try await program.send("zones/list") { $0.privateKey = P256.Signing.PrivateKey() }
        .expectUnauthenticated("revoked, another key")
      #expect(try await other.send("zones/list").status == 200)
    }
  }

  @Test
  func `an upload URL is refused once the server key that requested it is revoked`() async throws {
    try await withServerKey { server, program in
      let answer = try await program.send(
        "assets/upload", ["tokens": [["recordType": "Note", "fieldName": "file"]]])
      let url = try #require(answer.json["tokens"][0]["url"].string, "\(answer.json)")
      let path = try #require(URL(string: url)).path(percentEncoded: true)
      try await server.manage("server-keys/revoke", ["id": "\(program.id)"])
      try await program.client.send(.post, path, body: [1])
        .expectUnauthenticated("an upload", reason: Reason.accountDisabled)
    }
  }
}
