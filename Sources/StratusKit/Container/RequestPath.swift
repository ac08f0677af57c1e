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
  /// Who is signed in.
  let account: Account
  /// The user's remote notifications.
  let notificationFeed: any NotificationFeed
  /// Where operations are kept that outlast the process; nil: nowhere.
  let savedOperations: SavedOperations?
  /// The user, as the server has said, and in which generation of the connection.
  private let caller = Mutex<(naming: UserNaming, generation: Int)?>(nil)
  private let hub: NotificationHub?
  private let device: DeviceName?

  /// - Parameters:
  ///   - settings: already completed; a missing URL means the machine's own server.
  ///   - events: brings notifications; nil: none come.
  ///   - program: names the program of this process.
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
  ///   - apiToken: nil: as before.
  ///   - webAuthToken: nil: nobody is signed in.
  ///   - signIn: stands for the sign-in that the token belongs to; nil: the token is its first.
  ///   - isSetInCode: whether the app says so, not the credentials file.
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

  /// The user, as far as it is known without asking.
  var knownNaming: UserNaming? {
    if connection?.hasUser == false { return UserNaming(currentUserRecordName: nil) }
    return connection.flatMap { naming(in: $0.generation) }
  }

  private func naming(in generation: Int) -> UserNaming? {
    caller.withLock { caller in caller?.generation == generation ? caller?.naming : nil }
  }

  /// Sends a request.
  ///
  /// - Throws: what the whole request failed with; `CKError.notAuthenticated` where another account
  ///   is signed in than when it was begun.
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

  /// Gives this device the name that notifications wait under, before it listens or subscribes.
  func identify() { device?.settle() }

  /// Asks the server who the user is.
  ///
  /// - Throws: `CKError.notAuthenticated` where there is none.
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
      caller = (UserNaming(currentUserRecordName: name), generation)
    }
    return name
  }

  /// How the user is called in records and zones: asked for once, before the first that needs it.
  ///
  /// Requests that come together at first may each ask.
  /// - Throws: `CKError.notAuthenticated` where another account is signed in than `options` name.
  func naming(options: Connection.Options) async throws(CKError) -> UserNaming {
    guard let connection else { return UserNaming(currentUserRecordName: nil) }
    var options = options
    let generation = options.generation ?? connection.generation
    options.generation = generation
    if let known = naming(in: generation) { return known }
    let hasUser = connection.hasUser
    // NB: asked second, so that it is not of another generation whether there is a user.
    if connection.generation == generation && !hasUser {
      return UserNaming(currentUserRecordName: nil)
    }
    return UserNaming(currentUserRecordName: try await fetchCaller(options: options))
  }
}

/// A database, and how to call it, in the name of who is signed in when this is made.
struct DatabaseCalls: Sendable {
  let path: RequestPath
  let scope: DatabaseScope
  let options: Connection.Options
  /// What of it is written down; nil: nothing.
  var steps: LongLivedSteps?

  /// - Parameter options: names whom they are for, by its `generation`; nil: who is signed in now.
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
