package import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// The one path every request of a container takes to its server.
final class RequestPath: Sendable {
  /// nil: nobody said which container.
  let connection: Connection?
  /// Where fetched files go.
  let assets: AssetCache
  /// The keys of encrypted values; nil: nobody said which container.
  let keyRing: KeyRing?
  /// The user's remote notifications.
  let notificationFeed: any NotificationFeed
  private let caller = Mutex<UserNaming?>(nil)
  private let device: DeviceName?

  /// - Parameters:
  ///   - settings: already completed; a missing URL means the machine's own server.
  ///   - events: brings notifications; nil: none come.
  init(
    settings: ServerSettings, exchange: any HTTPExchange, timing: Timing,
    assets assetSettings: AssetSettings? = nil, events: (any EventExchange)? = nil
  ) {
    assets = assetSettings.map { Live.assetCache(in: $0.cacheFolder) } ?? Live.assetCache
    connection = settings.container.map { container in
      var url = settings.url?.absoluteString ?? "http://127.0.0.1:8080"
      while url.hasSuffix("/") { url.removeLast() }
      return Connection(
        to: Connection.Address(
          url: url, container: container, environment: settings.environment ?? .development,
          deviceID: Live.newID()),
        apiToken: settings.apiToken, webAuthToken: settings.webAuthToken, exchange: exchange,
        timing: timing,
        pieceBytesMax: assetSettings?.pieceBytesMax ?? Connection.defaultPieceBytesMax)
    }
    device = connection.map { DeviceName(of: $0, stateFolder: settings.stateFolder) }
    if let connection, let device, let events, connection.hasUser {
      notificationFeed = NotificationHub(
        stream: NotificationStream(connection: connection, exchange: events),
        identify: device.settle)
    } else {
      notificationFeed = SilentFeed()
    }
    keyRing = connection.map { connection in
      KeyRing(
        connection: connection, deviceKeys: DeviceKeys(file: settings.keysFile),
        randomness: Live.randomness)
    }
  }

  private static let known = Mutex<[ServerSettings: RequestPath]>([:])

  /// The path that all containers with these settings share.
  static func shared(_ settings: ServerSettings) -> RequestPath {
    known.withLock { known in
      if let path = known[settings] { return path }
      let path = RequestPath(
        settings: settings, exchange: Live.exchange, timing: Live.timing,
        events: Live.events)
      known[settings] = path
      return path
    }
  }

  /// Sends a request.
  ///
  /// - Throws: what the whole request failed with.
  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, to scope: DatabaseScope, isIdempotent: Bool,
    options: Connection.Options
  ) async throws(CKError) -> E.Response {
    guard let connection else { throw CKError.noContainer }
    do {
      return try await connection.send(
        endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
    } catch {
      throw CKError(error, isIdempotent: isIdempotent)
    }
  }

  /// Gives this device the name that notifications wait under, before it listens or subscribes.
  func identify() { device?.settle() }

  /// Asks the server who the user is.
  ///
  /// - Throws: `CKError.notAuthenticated` where there is none.
  func fetchCaller(options: Connection.Options) async throws(CKError) -> String {
    guard let connection else { throw CKError.noContainer }
    guard connection.hasUser else { throw CKError(.notAuthenticated) }
    let response = try await send(
      FetchCaller.self, EmptyRequest(), to: .public, isIdempotent: true, options: options)
    let name = response.user.userRecordName
    caller.withLock { $0 = UserNaming(currentUserRecordName: name) }
    return name
  }

  /// How the user is called in records and zones: asked for once, before the first that needs it.
  ///
  /// Requests that come together at first may each ask.
  func naming(options: Connection.Options) async throws(CKError) -> UserNaming {
    if let known = caller.withLock({ $0 }) { return known }
    guard let connection, connection.hasUser else {
      return UserNaming(currentUserRecordName: nil)
    }
    return UserNaming(currentUserRecordName: try await fetchCaller(options: options))
  }
}

/// A database, and how to call it.
struct DatabaseCalls: Sendable {
  let path: RequestPath
  let scope: DatabaseScope
  let options: Connection.Options

  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, isIdempotent: Bool = true
  ) async throws(CKError) -> E.Response {
    try await path.send(
      endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
  }

  func naming() async throws(CKError) -> UserNaming { try await path.naming(options: options) }
}

/// Where a container keeps fetched files, and in what pieces they travel.
package struct AssetSettings: Sendable {
  /// In place of the folder that all containers of the process share.
  package var cacheFolder: URL
  /// Bytes.
  package var pieceBytesMax: Int

  package init(cacheFolder: URL, pieceBytesMax: Int = Connection.defaultPieceBytesMax) {
    self.cacheFolder = cacheFolder
    self.pieceBytesMax = pieceBytesMax
  }
}
