import StratusTransport
import StratusWire

/// How a container's own calls and operations reach the server: its path, in the name of the
/// user at the moment when this is made.
///
/// All that concerns a container and none of its databases goes through here; calls on a database
/// go through ``DatabaseCalls``.
struct ContainerCalls: Sendable {
  let path: RequestPath
  let options: Connection.Options

  /// - Parameter options: names the user by its `generation`; nil: the one who is signed in now.
  init(path: RequestPath, options: Connection.Options) {
    self.path = path
    var options = options
    options.generation = options.generation ?? path.connection?.generation
    self.options = options
  }

  /// Sends a request.
  ///
  /// - Parameter scope: the part of the URL that the endpoint has; it chooses no database.
  /// - Throws: what the whole request failed with.
  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, to scope: DatabaseScope = .private,
    isIdempotent: Bool = true
  ) async throws(CKError) -> E.Response {
    try await path.send(
      endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
  }

  /// Asks the server who the user is.
  ///
  /// - Throws: `CKError.notAuthenticated` without an account.
  func fetchCaller() async throws(CKError) -> String {
    try await path.fetchCaller(options: options)
  }

  /// How the user is called in records and zones.
  ///
  /// - Throws: `CKError.notAuthenticated` where another user has signed in since.
  func naming() async throws(CKError) -> UserNaming { try await path.naming(options: options) }
}
