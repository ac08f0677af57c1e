import Crypto
import Foundation
import HTTPTypes
import StratusTesting
import Testing

/// A program with a server-to-server key. The server knows the public key.
struct SigningClient {
  /// Parts of a signed request that a test can change.
  struct Signing {
    /// The signed text for the body, between the colons. Nil means the hash of the body.
    var bodyText: String?
    /// The signed path. Nil means the target of the request.
    var path: String?
    var date: String?
    var keyID: String?
    var privateKey: P256.Signing.PrivateKey?
    /// Changes the headers after the signature is made.
    var edit: (inout [String: String]) -> Void = { _ in }
  }

  let client: Client
  let clock: MovedClock
  let privateKey = P256.Signing.PrivateKey()
  let id: String
  let user: String

  /// Registers a new key with a server.
  init(
    _ server: TestServer, clock: MovedClock, container: String, environment: String = "development"
  ) async throws {
    self.clock = clock
    let answer = try await server.manage(
      "server-keys/add",
      [
        "containerID": "\(container)", "environment": "\(environment)", "name": "nightly",
        "publicKey": "\(privateKey.publicKey.pemRepresentation)",
      ])
    id = try #require(answer["id"].string)
    user = try #require(answer["userRecordName"].string)
    client = Client(
      router: server.router, container: container, environment: environment, database: "public")
  }

  static func iso(_ milliseconds: Int64) -> String {
    Date(timeIntervalSince1970: Double(milliseconds / 1_000))
      .formatted(.iso8601)
  }

  /// The signature headers of a request.
  func headers(
    target: String, body: [UInt8], _ change: (inout Signing) -> Void = { _ in }
  ) throws -> [String: String] {
    var signing = Signing()
    change(&signing)
    let date = signing.date ?? Self.iso(clock.now)
    let hash = Data(SHA256.hash(data: Data(body))).base64EncodedString()
    let text = "\(date):\(signing.bodyText ?? hash):\(signing.path ?? target)"
    let signature = try (signing.privateKey ?? privateKey).signature(for: Data(text.utf8))
    var headers = [
      "X-Apple-CloudKit-Request-KeyID": signing.keyID ?? id,
      "X-Apple-CloudKit-Request-ISO8601Date": date,
      "X-Apple-CloudKit-Request-SignatureV1":
        signature.derRepresentation.base64EncodedString(),
    ]
    signing.edit(&headers)
    return headers
  }

  /// Sends a signed request; the target and the body can differ from the signed ones.
  func send(
    _ endpoint: String, _ body: JSON? = nil, in database: String = "public",
    query: String = "", sentBody: JSON? = nil, _ change: (inout Signing) -> Void = { _ in }
  ) async throws -> Client.Answer {
    var caller = client
    (caller.database, caller.extraQuery) = (database, query)
    let target = caller.target(endpoint)
    let bytes = try body.map { try $0.bytes } ?? []
    let headers = try headers(target: target, body: bytes, change)
    return try await caller.send(
      body == nil ? .get : .post, target, headers: headers,
      body: try sentBody.map { try $0.bytes } ?? bytes)
  }
}

extension SigningClient {
  /// Sends a GET request whose date differs from the server's time.
  ///
  /// - Parameter key: the key that signs the request, or nil for the program's own key.
  func send(
    _ endpoint: String, secondsFromNow seconds: Int64, by key: P256.Signing.PrivateKey? = nil
  ) async throws -> Client.Answer {
    let date = Self.iso(clock.now + seconds * 1_000)
    return try await send(endpoint) { signing in
      (signing.date, signing.privateKey) = (date, key)
    }
  }
}

/// Runs a test with a server and a program that has a key for the container "Notes".
func withServerKey(
  _ body: (_ server: TestServer, _ program: SigningClient) async throws -> Void
) async throws {
  let clock = MovedClock()
  try await withServer(live: clock.live) { server in
    let container = "iCloud.org.example.Notes"
    for id in [container, "iCloud.org.example.Other"] {
      try await server.manage("containers/create", ["containerID": "\(id)"])
    }
    try await body(server, try await SigningClient(server, clock: clock, container: container))
  }
}

extension Client.Answer {
  /// Expects the status 401 with this reason.
  func expectUnauthenticated(
    _ what: String, reason: String = "Authentication failed",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expectRefusal(what, code: "AUTHENTICATION_FAILED", sourceLocation: sourceLocation)
    #expect(status == 401, "\(what)", sourceLocation: sourceLocation)
    #expect(self.reason == reason, "\(what)", sourceLocation: sourceLocation)
  }
}
