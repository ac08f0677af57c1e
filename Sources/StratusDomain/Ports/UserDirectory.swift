public import StratusWire

/// Reads the profiles of users, finds users for other users, and makes web auth tokens.
public protocol UserDirectory: Sendable {
  /// Returns the profile of the account that a session belongs to.
  func profile(of session: UserSession) async throws(ServerError) -> Profile

  /// Finds the users of a container who have agreed to be found.
  ///
  /// - Returns: one result for each lookup, in the same order.
  func discover(
    _ lookups: [ParticipantLookup], in container: String
  ) async throws(ServerError) -> [UserIdentity?]

  /// Makes a web auth token of a session for a web page.
  ///
  /// - Parameter apiToken: the API token of the web page.
  /// - Throws: `BAD_REQUEST` if the API token does not belong to the store.
  func webToken(
    of session: UserSession, for apiToken: String, at store: StoreAddress
  ) async throws(ServerError) -> String
}

/// A directory that finds no users.
public struct NoUserDirectory: UserDirectory {
  public init() {}

  public func profile(of session: UserSession) async throws(ServerError) -> Profile { Profile() }

  public func discover(
    _ lookups: [ParticipantLookup], in container: String
  ) async throws(ServerError) -> [UserIdentity?] { lookups.map { _ in nil } }

  public func webToken(
    of session: UserSession, for apiToken: String, at store: StoreAddress
  ) async throws(ServerError) -> String { throw .badRequest(Reason.apiTokenUnknown) }
}
