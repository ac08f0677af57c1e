import StratusWire

/// Answers `users/caller`.
struct FetchCallerHandler: EndpointHandler {
  typealias Endpoint = FetchCaller

  let databases: DatabaseAccess

  func answer(
    _ request: FetchCaller.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> FetchCaller.Response {
    let user = try caller.requireAccount()
    _ = try await databases.open(database, for: caller, to: .read)
    return FetchCaller.Response(user: UserIdentity(userRecordName: user))
  }
}

/// Answers `users/current`.
struct FetchCurrentUserHandler: EndpointHandler {
  typealias Endpoint = FetchCurrentUser

  let databases: DatabaseAccess

  func answer(
    _ request: FetchCurrentUser.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> FetchCurrentUser.Response {
    let user = try caller.requireAccount()
    _ = try await databases.open(database, for: caller, to: .read)
    return FetchCurrentUser.Response(user: UserIdentity(userRecordName: user))
  }
}
