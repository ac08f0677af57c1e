import StratusTransport
import StratusWire

/// Sends the requests of a container in the name of one user. After another user has signed in, the
/// requests fail.
///
/// This type sends the requests that concern no single database. ``DatabaseCalls`` sends requests
/// to a database.
struct ContainerCalls: Sendable {
  let path: RequestPath
  let options: Connection.Options

  /// - Parameter options: the `generation` in the options identifies the user. If it is nil, the
  ///   calls are in the name of the present user.
  init(path: RequestPath, options: Connection.Options) {
    self.path = path
    var options = options
    options.generation = options.generation ?? path.connection?.generation
    self.options = options
  }

  /// Sends a request.
  ///
  /// - Parameter scope: the scope in the endpoint's URL; it does not select a database.
  /// - Throws: the error of the whole request.
  func send<E: Endpoint>(
    _ endpoint: E.Type, _ request: E.Request, to scope: DatabaseScope = .private,
    isIdempotent: Bool = true
  ) async throws(CKError) -> E.Response {
    try await path.send(
      endpoint, request, to: scope, isIdempotent: isIdempotent, options: options)
  }

  /// Asks the server for the signed-in user, and returns that user's record name.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  func fetchCaller() async throws(CKError) -> String {
    try await path.fetchCaller(options: options)
  }

  /// Returns the converter for user names in records and zone IDs. The converter needs the
  /// signed-in user's record name. If that name is not known yet, the server is asked.
  ///
  /// - Throws: `CKError.notAuthenticated` if another user has signed in since this value was made.
  func naming() async throws(CKError) -> UserNaming { try await path.naming(options: options) }
}
