import Foundation
import HTTPTypes
import StratusWire
import Testing

/// The endpoints for encryption keys (docs/internals/encryption.md).
@Suite struct EncryptionEndpoints {
  private static func text(_ bytes: [UInt8]) -> JSON {
    "\(Data(bytes).base64EncodedString())"
  }

  private static let keyOne = text([UInt8](repeating: 1, count: 32))
  private static let keyTwo = text([UInt8](repeating: 2, count: 32))

  private func wrap(_ id: UInt8, for recipient: JSON, zone: JSON = "Work") -> JSON {
    [
      "zoneID": ["zoneName": zone],
      "key": [
        "keyID": Self.text([UInt8](repeating: id, count: 8)), "recipient": recipient,
        "wrapped": Self.text([id]),
      ],
    ]
  }

  private func save(_ keyID: UInt8, zone: JSON = "Work") -> JSON {
    let sealed = SealedEnvelope.bytes(
      keyID: [UInt8](repeating: keyID, count: 8), nonce: [UInt8](repeating: 0, count: 12),
      ciphertext: [], tag: [UInt8](repeating: 0, count: 16))
    return [
      "zoneID": ["zoneName": zone],
      "operations": [
        [
          "operationType": "forceUpdate",
          "record": [
            "recordName": "n", "recordType": "Note",
            "fields": ["mood": ["value": Self.text(sealed), "type": "INT64", "isEncrypted": true]],
          ],
        ]
      ],
    ]
  }

  private func withWork(_ body: (Client) async throws -> Void) async throws {
    try await withAnna { anna in
      _ = try await anna.post(
        "zones/modify",
        ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Work"]]]]])
      try await body(anna)
    }
  }

  @Test func `the server keeps the first public key and the first wrapped zone key`() async throws {
    try await withWork { anna in
      let asked: JSON = ["zones": [["zoneName": "Work"], ["zoneName": "None"]]]
      let before = try await anna.post("encryption/keys", asked)
      #expect(before["publicKey"].isNull)
      #expect(before["zones"][1]["keys"] == [])
      #expect(before["userRecordName"] == (try await anna.post("users/caller"))["userRecordName"])
      for key in [Self.keyOne, Self.keyTwo] {
        let standing = try await anna.post("encryption/register", ["publicKey": key])
        #expect(standing["publicKey"] == Self.keyOne)
      }
      for id in [UInt8(7), 8] {
        let standing = try await anna.post("encryption/wrap", wrap(id, for: Self.keyOne))
        #expect(standing["keys"][0]["wrapped"] == Self.text([7]))
        #expect(standing["keys"].array?.count == 1)
      }
      let after = try await anna.post("encryption/keys", asked)
      #expect(after["publicKey"] == Self.keyOne)
      #expect(after["zones"][0]["keys"][0]["keyID"] == Self.text([UInt8](repeating: 7, count: 8)))
    }
  }

  @Test
  func `a zone key that is wrapped for another public key is refused as a conflict`() async throws {
    try await withWork { anna in
      let target = anna.target("encryption/wrap")
      let unregistered = try await anna.send(
        .post, target, body: wrap(7, for: Self.keyOne).bytes)
      unregistered.expectRefusal("no public key", code: "CONFLICT")
      _ = try await anna.post("encryption/register", ["publicKey": Self.keyOne])
      let other = try await anna.send(.post, target, body: wrap(7, for: Self.keyTwo).bytes)
      other.expectRefusal("another public key", code: "CONFLICT")
      let missing = try await anna.send(
        .post, target, body: wrap(7, for: Self.keyOne, zone: "None").bytes)
      missing.expectRefusal("no zone", code: "ZONE_NOT_FOUND")
    }
  }

  @Test func `a value sealed with a key that its zone does not have is refused`() async throws {
    try await withWork { anna in
      _ = try await anna.post("encryption/register", ["publicKey": Self.keyOne])
      _ = try await anna.post("encryption/wrap", wrap(7, for: Self.keyOne))
      let refused = try await anna.send(
        .post, anna.target("records/modify"), body: save(8).bytes)
      #expect(refused.reason == Reason.zoneKeyUnknown)
      let saved = try await anna.post("records/modify", save(7))
      #expect(saved["records"][0]["fields"]["mood"]["isEncrypted"] == true)
      #expect(saved["records"][0]["fields"]["mood"]["type"] == "INT64")
    }
  }

  @Test
  func `encryption keys exist only for signed-in users in the private database`() async throws {
    try await withServer { server in
      var anna = try await server.client("anna@example.org")
      anna.database = "public"
      let inPublic = try await anna.send(
        .post, anna.target("encryption/register"),
        body: JSON.object(["publicKey": Self.keyOne]).bytes)
      inPublic.expectRefusal("public", code: "BAD_REQUEST")
      var otherUser = server.otherUser
      otherUser.database = "private"
      let unknown = try await otherUser.send(.post, otherUser.target("encryption/keys"))
      unknown.expectRefusal("stranger", code: "AUTHENTICATION_REQUIRED")
    }
  }

  @Test func `a key reset that a client sends several times is carried out once`() async throws {
    try await withWork { anna in
      _ = try await anna.post("encryption/register", ["publicKey": Self.keyOne])
      _ = try await anna.post("encryption/wrap", wrap(7, for: Self.keyOne))
      let wrong = try await anna.send(
        .post, anna.target("encryption/reset"),
        body: JSON.object(["publicKey": Self.keyTwo, "replacedKey": Self.keyTwo]).bytes)
      wrong.expectRefusal("wrong old key", code: "CONFLICT")
      let request: JSON = ["publicKey": Self.keyTwo, "replacedKey": Self.keyOne]
      let first = try await anna.post("encryption/reset", request)
      #expect(first["zones"][0]["zoneName"] == "Work")
      #expect(first["moreComing"] == false)
      #expect(try await anna.post("encryption/reset", request)["zones"] == [])
      #expect(try await anna.post("encryption/keys")["publicKey"] == Self.keyTwo)
      let gone = try await anna.send(
        .post, anna.target("records/modify"), body: save(7).bytes)
      gone.expectRefusal("reset", code: "ZONE_NOT_FOUND")
      #expect(gone.json["userDidResetEncryptedData"] == true)
      let changes = try await anna.post("zones/lookup", ["zones": [["zoneName": "Work"]]])
      #expect(changes["zones"][0]["userDidResetEncryptedData"] == true)
    }
  }
}
