package import Foundation
import StratusTransport
import StratusWire
import Synchronization

/// Sends all requests of a container to its server.
final class RequestPath: Sendable {
  /// The connection to the server; nil if no container is configured.
  let connection: Connection?
  /// The cache for fetched files.
  let assets: AssetCache
  /// The keys of encrypted values; nil if no container is configured.
  let keyRing: KeyRing?
  /// The account that is signed in.
  let account: Account
  /// The user's remote notifications.
  let notificationFeed: any NotificationFeed
  /// The saved long-lived operations; nil if they cannot be saved.
  let savedOperations: SavedOperations?
  /// The user as the server reported it, and the connection's generation at that time.
  private let caller = Mutex<(naming: UserNaming, generation: Int)?>(nil)
  private let hub: NotificationHub?
  private let device: DeviceName?

  /// - Parameters:
  ///   - settings: the settings from all sources. Without a URL, the local server is used.
  ///   - events: delivers notifications; nil if the container receives none.
  ///   - program: the name of this process's program.
  init(
    settings: ServerSettings, exchange: any HTTPExchange, timing: Timing,
    assets assetSettings: AssetSettings? = nil, events: (any EventExchange)? = nil,
    program: String = Live.program
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
        pieceBytesMax: assetSettings?.pieceBytesMax ?? Connection.defaultPieceBytesMax,
        signIn: settings.signIn)
    }
    device = connection.map { connection in
      DeviceName(of: connection, stateFolder: settings.stateFolder, program: program)
    }
    if let connection, let device, let events {
      hub = NotificationHub(
        stream: NotificationStream(connection: connection, exchange: events),
        identify: device.settle)
    } else {
      hub = nil
    }
    notificationFeed = hub ?? SilentFeed()
    account = Account(of: connection)
    savedOperations = connection.flatMap { connection in
      settings.stateFolder.map { SavedOperations(in: $0, of: connection.address) }
    }
    keyRing = connection.map { connection in
      KeyRing(
        connection: connection, deviceKeys: DeviceKeys(file: settings.keysFile),
        randomness: Live.randomness)
    }
  }

  /// Uses another account from now on.
  ///
  /// - Parameters:
  ///   - apiToken: identifies the app; nil keeps the present API token.
  ///   - webAuthToken: identifies the user; nil if no user is signed in.
  ///   - signIn: the ID of the user's sign-in if the server has renewed the token since that
  ///     sign-in; nil if the token comes directly from a new sign-in.
  ///   - isSetInCode: whether the app sets the tokens; false if they come from the credentials
  ///     file.
  func adopt(
    apiToken: String?, webAuthToken: String?, signIn: String? = nil, isSetInCode: Bool = true
  ) {
    account.adopt(
      apiToken: apiToken, webAuthToken: webAuthToken, signIn: signIn, isSetInCode: isSetInCode
    ) {
      caller.withLock { $0 = nil }
      keyRing?.forgetAll()
      hub?.accountHasChanged()
    }
  }

  /// The converter of user names for the current user; nil if the server must first be asked for
  /// that user's record name.
  var knownNaming: UserNaming? {
    if connection?.hasUser == false { return naming(of: nil) }
    return connection.flatMap { naming(in: $0.generation) }
  }

  /// Returns the converter of user names for this user.
  ///
  /// - Parameter userRecordName: the user's record name; nil if no user is signed in.
  func naming(of userRecordName: String?) -> UserNaming {
    let isPlain = connection?.address.url.lowercased().hasPrefix("http://") == true
    return UserNaming(
      currentUserRecordName: userRecordName, scheme: isPlain ? "http" : "https")
  }

  private func naming(in generation: Int) -> UserNaming? {
    caller.withLock { caller in caller?.generation == generation ? caller?.naming : nil }
  }

  /// Sends a request.
  ///
  /// - Throws: the error of the whole request; `CKError.notAuthenticated` if another account has
  ///   signed in since the request began.
  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, to scope: DatabaseScope, isIdempotent: Bool,
    options: Connection.Options
  ) async throws(CKError) -> E.Response {
    guard let connection else { throw CKError.noContainer }
    device?.settleIfKnown()
    var options = options
    let generation = options.generation ?? connection.generation
    options.generation = generation
    do {
      let response = try await connection.send(
        endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
      account.note(nil, of: generation)
      return response
    } catch {
      let error = CKError(error, isIdempotent: isIdempotent, url: connection.address.url)
        .explained(hasUser: connection.hasUser)
      account.note(error, of: generation)
      throw error
    }
  }

  /// Gives this device a lasting name. The method is called before the device listens to
  /// notifications or subscribes.
  func identify() { device?.settle() }

  /// Asks the server for the signed-in user, and returns that user's record name.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  func fetchCaller(options: Connection.Options) async throws(CKError) -> String {
    guard let connection else { throw CKError.noContainer }
    var options = options
    let generation = options.generation ?? connection.generation
    options.generation = generation
    guard connection.hasUser else { throw .notSignedIn }
    let response = try await send(
      FetchCaller.self, EmptyRequest(), to: .public, isIdempotent: true, options: options)
    let name = response.user.userRecordName
    caller.withLock { caller in
      guard connection.generation == generation else { return }
      caller = (naming(of: name), generation)
    }
    return name
  }

  /// Returns the converter of user names for the current user. The first call after a sign-in asks
  /// the server for the user's record name.
  ///
  /// Concurrent first calls may each ask the server.
  /// - Throws: `CKError.notAuthenticated` if another account has signed in since the generation in
  ///   `options`.
  func naming(options: Connection.Options) async throws(CKError) -> UserNaming {
    guard let connection else { return naming(of: nil) }
    var options = options
    let generation = options.generation ?? connection.generation
    options.generation = generation
    if let known = naming(in: generation) { return known }
    let hasUser = connection.hasUser
    // NB: read `hasUser` before comparing generations, so that both describe the same sign-in.
    if connection.generation == generation && !hasUser {
      return naming(of: nil)
    }
    return naming(of: try await fetchCaller(options: options))
  }
}

/// Calls a database in the name of one account. After another account has signed in, the calls
/// fail.
struct DatabaseCalls: Sendable {
  let path: RequestPath
  let scope: DatabaseScope
  let options: Connection.Options
  /// The saved steps of a long-lived operation; nil for other operations.
  var steps: LongLivedSteps?

  /// - Parameter options: the `generation` in the options identifies the account; nil means the
  ///   account that is signed in now.
  init(
    path: RequestPath, scope: DatabaseScope, options: Connection.Options,
    steps: LongLivedSteps? = nil
  ) {
    self.path = path
    self.scope = scope
    var options = options
    options.generation = options.generation ?? path.connection?.generation
    self.options = options
    self.steps = steps
  }

  /// - Parameter step: see ``LongLivedSteps/answer(_:_:isIdempotent:name:in:)``.
  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, isIdempotent: Bool = true, step: String? = nil
  ) async throws(CKError) -> E.Response {
    if let steps {
      return try await steps.answer(
        endpoint, request, isIdempotent: isIdempotent, name: step, in: self)
    }
    return try await path.send(
      endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
  }

  func naming() async throws(CKError) -> UserNaming {
    if let steps { return try await steps.naming(on: path, options: options) }
    return try await path.naming(options: options)
  }
}

/// The folder for fetched files, and the size of the pieces in which they are transferred.
package struct AssetSettings: Sendable {
  /// The folder for fetched files. It replaces the folder that all containers of the process share.
  package var cacheFolder: URL
  /// The maximum size of a piece in bytes.
  package var pieceBytesMax: Int

  package init(cacheFolder: URL, pieceBytesMax: Int = Connection.defaultPieceBytesMax) {
    self.cacheFolder = cacheFolder
    self.pieceBytesMax = pieceBytesMax
  }
}
