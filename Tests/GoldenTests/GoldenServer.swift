import Foundation
import StratusTesting
import StratusTransport
import StratusWire
import Synchronization
import Testing

@testable import StratusKit

/// A server of the current version with a copy of the golden data folder, and the users' devices
/// with a copy of the golden device files.
final class GoldenServer: Sendable {
  let server: TestServer
  private let scratch: ScratchFolder
  private let release: String

  /// - Parameters:
  ///   - release: the folder of the release that wrote the data.
  ///   - isReopened: whether a server of the current version has used the folder before.
  init(of release: String = GoldenFiles.beforeSharing, isReopened: Bool = false) async throws {
    scratch = try ScratchFolder()
    self.release = release
    try GoldenFiles.copy("server-data", of: release, to: scratch.url.appending(path: "data"))
    try GoldenFiles.copy("device", of: release, to: scratch.url.appending(path: "device"))
    if isReopened {
      let earlier = try await Self.server(in: scratch)
      _ = try await Self.container(of: "alice", on: earlier, scratch, release)
        .privateCloudDatabase.allRecordZones()
      await earlier.stop()
    }
    server = try await Self.server(in: scratch)
  }

  private static func server(in scratch: ScratchFolder) async throws -> TestServer {
    // NB: the clock starts an hour after the data was written. By today's date, the users' sign-ins
    // have expired.
    try await TestServer(
      folder: scratch.url.appending(path: "data"),
      clock: TestClock(at: GoldenFiles.start.addingTimeInterval(3_600)))
  }

  /// Returns a user's container with the tokens that the earlier release issued.
  func container(
    _ identifier: String = GoldenFiles.golden, of user: String,
    in environment: CKContainer.Settings.Environment = .development
  ) throws -> CKContainer {
    try Self.container(identifier, of: user, in: environment, on: server, scratch, release)
  }

  private static func container(
    _ identifier: String = GoldenFiles.golden, of user: String,
    in environment: CKContainer.Settings.Environment = .development, on server: TestServer,
    _ scratch: ScratchFolder, _ release: String
  ) throws -> CKContainer {
    let place = "\(identifier).\(environment.rawValue)"
    return CKContainer(
      identifier: identifier,
      settings: CKContainer.Settings(
        url: URL(string: "http://stratus.test"), environment: environment,
        apiToken: try GoldenFiles.text("apiToken.\(place)", of: release),
        webAuthToken: try GoldenFiles.text("webAuthToken.\(place).\(user)", of: release),
        keysFile: scratch.url.appending(path: "device/keys.json"),
        stateFolder: scratch.url.appending(path: user == "alice" ? "device/state" : user)),
      exchange: server.exchange,
      assets: AssetSettings(cacheFolder: scratch.url.appending(path: "cache-\(user)")),
      program: GoldenFiles.program)
  }

  /// Sends an operator's request.
  func manage<E: Endpoint>(_ endpoint: E.Type, _ request: E.Request) async throws -> E.Response {
    let answer = try await server.exchange.send(
      HTTPRequest(
        url: try #require(URL(string: "http://stratus.test/management/1/\(E.path)")),
        headers: ["Authorization": "Bearer \(server.managementToken)"],
        body: request.jsonBytes, timeoutSeconds: 600))
    try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
    return try E.Response(jsonBytes: answer.body)
  }
}

/// Runs a test with the golden data.
///
/// - Parameters:
///   - release: the folder of the release that wrote the data.
///   - isReopened: whether a server of the current version has used the data before.
func withGoldenServer(
  of release: String = GoldenFiles.beforeSharing, isReopened: Bool = false,
  _ body: (GoldenServer) async throws -> Void
) async throws {
  let golden = try await GoldenServer(of: release, isReopened: isReopened)
  do {
    try await body(golden)
  } catch {
    await golden.server.stop()
    throw error
  }
  await golden.server.stop()
}

extension CKContainer {
  /// Returns the notifications since a token, and the next token.
  func notifications(
    since token: CKServerChangeToken?
  ) async throws -> (notifications: [CKNotification], token: CKServerChangeToken?) {
    let found = Mutex<[CKNotification]>([])
    let fetch = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
    fetch.notificationChangedBlock = { notification in
      found.withLock { $0.append(notification) }
    }
    let end = AsyncStream.makeStream(of: Result<CKServerChangeToken?, any Error>.self)
    fetch.fetchNotificationChangesCompletionBlock = { token, error in
      end.continuation.yield(error.map { .failure($0) } ?? .success(token))
    }
    add(fetch)
    var next: CKServerChangeToken?
    for await result in end.stream {
      next = try result.get()
      break
    }
    return (found.withLock { $0 }, next)
  }
}

extension CKAsset {
  /// The contents of the asset's file, or nil if the asset has no file.
  var text: String? {
    get throws {
      guard let fileURL else { return nil }
      return String(decoding: try Data(contentsOf: fileURL), as: UTF8.self)
    }
  }
}
