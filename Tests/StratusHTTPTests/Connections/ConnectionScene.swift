import Foundation
import HTTPTypes
import Hummingbird
import Logging
import StratusHTTP
import StratusPush
import StratusServer
import StratusTesting
import StratusWire
import Testing

/// A running server that listens on a port of its own.
struct ConnectionScene: Sendable {
  let server: TestServer
  let anna: Client
  let port: UInt16
  /// Stops the server.
  let end: @Sendable () -> Void

  /// Time-outs that are longer than any test.
  static let patient = ConnectionSettings(
    headTimeout: .seconds(3_600), bodyTimeout: .seconds(3_600), answerTimeout: .seconds(3_600),
    idleTimeout: .seconds(3_600), gracePeriod: .seconds(3_600))

  /// Runs a server while the body runs. Returns after the server has stopped.
  ///
  /// - Parameters:
  ///   - tls: the server's certificate and key, or nil for connections without TLS.
  ///   - proxies: the addresses whose `X-Forwarded-For` the server trusts.
  static func with(
    live: Live = Live(), tls: TLSIdentity? = nil, limits: LimitSettings = .unpaced,
    proxies: [AddressRange] = [],
    _ change: (inout ConnectionSettings) -> Void = { _ in },
    _ body: @escaping @Sendable (ConnectionScene) async throws -> Void
  ) async throws {
    var settings = patient
    settings.gracePeriod = .milliseconds(50)
    change(&settings)
    let connections = settings
    try await withServer(live: live, limits: limits) { server in
      let (ports, port) = AsyncStream.makeStream(of: Int.self)
      var logger = Logger(label: "stratus")
      logger.logLevel = .critical
      var router = server.router
      (router.isEncrypted, router.requiresEncryption) = (tls != nil, tls != nil)
      router.trustedProxies = proxies
      let application = HTTPServer.application(
        router: router, host: "127.0.0.1", port: 0, connections: connections, tls: tls,
        logger: logger
      ) { port.yield($0) }
      let running = Task { try await application.run() }
      let hub = Task { await server.hub.run() }
      var iterator = ports.makeAsyncIterator()
      let number = UInt16(try #require(await iterator.next(isolation: nil)))
      let result: Result<Void, any Error>
      do {
        let anna = try await server.client("anna@example.org")
        result = .success(
          try await body(
            ConnectionScene(server: server, anna: anna, port: number) { running.cancel() }))
      } catch {
        result = .failure(error)
      }
      server.hub.close()
      running.cancel()
      hub.cancel()
      _ = await running.result
      await hub.value
      try result.get()
    }
  }

  /// Sends a text and returns all bytes that the server sends before it closes the connection.
  func exchange(_ text: String) async throws -> String {
    try await Wire(port: port).exchange(Array(text.utf8))
  }

  /// Opens a connection, sends a text, and sends no further byte.
  func stalled(_ text: String) throws -> LiveWire {
    let wire = try LiveWire(port: port)
    wire.send(text)
    return wire
  }

  /// The head of a request whose body has this length.
  func head(_ endpoint: String = "records/lookup", length: Int) -> String {
    "POST \(anna.target(endpoint)) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(length)\r\n\r\n"
  }

  func uploadTarget() async throws -> String {
    let tokens: JSON = [["recordName": "photo-1", "recordType": "Note", "fieldName": "photo"]]
    let answer = try await anna.post("assets/upload", ["tokens": tokens])
    return try answer["tokens"][0]["url"].target
  }

  /// Uploads a file of this size and saves it as the photo of a note.
  ///
  /// - Returns: the path of the file's download URL.
  func fileTarget(bytes count: Int) async throws -> String {
    let target = try await uploadTarget()
    let upload = try await anna.send(
      .put, target, body: [UInt8](repeating: 7, count: count))
    let record: JSON = [
      "recordName": "photo-1", "recordType": "Note",
      "fields": ["photo": ["value": upload.json["singleFile"]]],
    ]
    let saved = try await anna.modify([["operationType": "forceUpdate", "record": record]])
    return try saved[0]["fields"]["photo"]["value"]["downloadURL"].target
  }
}
