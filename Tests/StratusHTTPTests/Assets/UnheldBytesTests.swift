import HTTPTypes
import StratusDomain
import StratusHTTP
import StratusTesting
import StratusWire
import Testing

/// Uploads of disabled and restricted users, and the limits of uploaded bytes that no record uses
/// yet.
@Suite struct BoundsOfUploads {
  /// The operator's requests after which uploads are refused, with the status and the reason.
  private static let refusals: [(endpoint: String, status: Int, reason: String)] = [
    ("accounts/disable", 401, Reason.accountDisabled),
    ("accounts/restrict", 403, Reason.accountRestricted),
  ]

  @Test(arguments: refusals.indices)
  func `an upload URL stops working when its user is disabled or restricted`(
    _ index: Int
  ) async throws {
    let refusal = Self.refusals[index]
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let url = try await anna.uploadURL()
      #expect(try await anna.transfer(.get, url).status == 200)
      try await server.manage(refusal.endpoint, ["email": "anna@example.org"])
      for answer in [
        try await anna.transfer(.put, url, abc), try await anna.transfer(.get, url),
      ] {
        #expect(answer.status == refusal.status)
        #expect(try answer.json["reason"] == .string(refusal.reason))
      }
    }
  }

  @Test(arguments: refusals.indices)
  func `an upload is refused if its user is disabled or restricted while the bytes arrive`(
    _ index: Int
  ) async throws {
    let refusal = Self.refusals[index]
    try await withServer { server in
      let anna = try await server.client("anna@example.org")
      let body = InterruptedBody(parts: [[97], [98, 99]]) {
        _ = try await server.manage(refusal.endpoint, ["email": "anna@example.org"])
      }
      let answer = try await anna.transfer(.put, try await anna.uploadURL(), body: body)
      #expect(answer.status == refusal.status)
      #expect(try answer.json["reason"] == .string(refusal.reason))
      #expect(try answer.json["singleFile"].isNull)
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

  /// While more than half of the smaller limit is left, the server does not read the register
  /// again, so it must count the finished files itself.
  @Test(arguments: [true, false])
  func `a finished file counts while most of the limit is left`(isPerUser: Bool) async throws {
    let limits =
      isPerUser
      ? LimitSettings(unheldBytesPerUserMax: 10) : LimitSettings(unheldBytesPerStoreMax: 10)
    try await withServer(limits: limits) { server in
      let anna = try await server.client("anna@example.org")
      _ = try await anna.upload(Array("1234".utf8))
      let second = isPerUser ? anna : try await server.client("ben@example.org")
      let refused = try await second.transfer(
        .put, try await second.uploadURL(), Array("1234567".utf8))
      #expect(try refused.json["reason"] == .string(Reason.assetsUnheld))
      _ = try await second.upload(Array("123456".utf8))
    }
  }
}

/// A request body that runs a closure before its last part.
private struct InterruptedBody: SentBody {
  let parts: [[UInt8]]
  let interrupt: @Sendable () async throws -> Void

  func bytes() async throws(ServerError) -> [UInt8] { parts.flatMap { $0 } }

  func pieces() -> any BodyPieces { Pieces(parts, interrupt) }

  private final class Pieces: BodyPieces {
    private var rest: ArraySlice<[UInt8]>
    private let interrupt: @Sendable () async throws -> Void

    init(_ parts: [[UInt8]], _ interrupt: @escaping @Sendable () async throws -> Void) {
      rest = parts[...]
      self.interrupt = interrupt
    }

    func next() async throws(ServerError) -> [UInt8]? {
      if rest.count == 1 {
        do { try await interrupt() } catch { throw ServerError.fault("\(error)") }
      }
      return rest.popFirst()
    }
  }
}
