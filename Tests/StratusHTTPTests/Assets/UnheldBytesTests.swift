import HTTPTypes
import StratusTesting
import StratusWire
import Testing

/// Uploads of disabled users, and the limits of uploaded bytes that no record uses yet.
@Suite struct BoundsOfUploads {
  @Test func `an upload URL stops working when its user is disabled`() async throws {
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let url = try await anna.uploadURL()
      #expect(try await anna.transfer(.get, url).status == 200)
      try await server.manage("accounts/disable", ["email": "anna@example.org"])
      for answer in [
        try await anna.transfer(.put, url, abc), try await anna.transfer(.get, url),
      ] {
        #expect(answer.status == 401)
        #expect(try answer.json["reason"] == .string(Reason.accountDisabled))
      }
    }
  }

  @Test func `a user may upload a limited number of bytes that no record uses`() async throws {
    try await withServer(limits: LimitSettings(unheldBytesPerUserMax: 5)) { server in
      let anna = try await server.client("anna@example.org")
      let file = try await anna.upload(abc)
      let refused = try await anna.transfer(
        .put, try await anna.uploadURL(), Array("xyz".utf8))
      #expect(refused.status == 413)
      #expect(try refused.json["serverErrorCode"] == "QUOTA_EXCEEDED")
      #expect(try refused.json["reason"] == .string(Reason.assetsUnheld))
      let ben = try await server.client("ben@example.org")
      _ = try await ben.upload(Array("ben".utf8))
      // Once a record uses the bytes, they no longer count towards the limit.
      try await anna.saveNote(photo: file)
      _ = try await anna.upload(Array("xyz".utf8))
    }
  }

  @Test
  func `a store accepts a limited number of uploaded bytes that no record uses`() async throws {
    try await withServer(limits: LimitSettings(unheldBytesPerStoreMax: 5)) { server in
      _ = try await server.client("anna@example.org").upload(abc)
      let ben = try await server.client("ben@example.org")
      let refused = try await ben.transfer(
        .put, try await ben.uploadURL(), Array("xyz".utf8))
      #expect(try refused.json["reason"] == .string(Reason.assetsUnheld))
      var other = ben
      other.container = "iCloud.org.example.Other"
      _ = try await other.upload(Array("xyz".utf8))
    }
  }
}
