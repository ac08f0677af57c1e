import Crypto
import Foundation
import HTTPTypes
import StratusTesting
import Testing

@Suite struct `The operator's requests about server-to-server keys` {
  private static let container = "iCloud.org.example.Notes"

  private func refuse(
    _ server: TestServer, _ endpoint: String, _ body: JSON, reason: String, status: Int = 400
  ) async throws {
    let answer = try await Client(router: server.router).send(
      .post, "/management/1/\(endpoint)",
      headers: ["Authorization": "Bearer \(server.managementToken)"], body: body.bytes)
    answer.expectRefusal("\(endpoint) \(body)")
    #expect(answer.status == status)
    #expect(answer.reason?.contains(reason) == true, "\(answer.reason ?? "")")
  }

  private func key(_ pem: String, container: String = container) -> JSON {
    ["containerID": "\(container)", "environment": "development", "publicKey": "\(pem)"]
  }

  @Test
  func `the list of server keys names each key's user, and a key can be revoked once`()
    async throws
  {
    try await withServerKey { server, program in
      let listed = try await server.manage("server-keys/list", [:])["serverKeys"]
      #expect(listed.array?.count == 1)
      #expect(listed[0]["id"].string == program.id)
      #expect(listed[0]["userRecordName"].string == program.user)
      #expect(listed[0]["name"] == "nightly")
      #expect(listed[0]["containerID"].string == Self.container)
      #expect(listed[0]["environment"] == "development")
      #expect(listed[0]["createdAt"].integer == program.clock.now)
      #expect(listed[0]["revokedAt"].isNull)
      program.clock.move(bySeconds: 9)
      try await server.manage("server-keys/revoke", ["id": "\(program.id)"])
      let revoked = try await server.manage("server-keys/list", [:])["serverKeys"]
      #expect(revoked[0]["revokedAt"].integer == program.clock.now)
      for id in [program.id, "none"] {
        try await refuse(
          server, "server-keys/revoke", ["id": "\(id)"], reason: "no valid server-to-server key",
          status: 404)
      }
    }
  }

  @Test func `a file without a public key on P-256 is refused with advice`() async throws {
    try await withServerKey { server, _ in
      let good = P256.Signing.PrivateKey().publicKey.pemRepresentation
      let other = P384.Signing.PrivateKey()
      let wrong = [
        (P256.Signing.PrivateKey().pemRepresentation, "private key, which stays with you"),
        (other.publicKey.pemRepresentation, "not on the curve P-256"),
        ("", "there is no public key in the file"),
        (String(good.dropLast(10)), "there is no public key in the file"),
        (good.replacing("MFkw", with: "M*kw"), "damaged"),
        (good.replacing("MFkw", with: "AAAA"), "not on the curve P-256"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----", "a certificate"),
        (String(repeating: "a", count: 20_000), "too long"),
      ]
      for (pem, reason) in wrong {
        try await refuse(server, "server-keys/add", key(pem), reason: reason)
      }
      try await refuse(
        server, "server-keys/add", key(good, container: "iCloud.org.example.None"),
        reason: "there is no container", status: 404)
      #expect(try await server.manage("server-keys/list", [:])["serverKeys"].array?.count == 1)
    }
  }

  @Test func `a public key file may contain other text and other line ends`() async throws {
    try await withServerKey { server, _ in
      let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
      for text in [
        "a remark\n" + pem + "\nmore", pem.replacing("\n", with: "\r\n"), "  " + pem,
      ] {
        let added = try await server.manage("server-keys/add", key(text))
        #expect(added["id"].string?.count == 64)
      }
    }
  }

  @Test func `deleting a container deletes its server-to-server keys`() async throws {
    try await withServerKey { server, program in
      try await server.manage("containers/delete", ["containerID": "\(Self.container)"])
      #expect(try await server.manage("server-keys/list", [:])["serverKeys"] == [])
      try await program.send("zones/list").expectUnauthenticated("a deleted container")
    }
  }
}
