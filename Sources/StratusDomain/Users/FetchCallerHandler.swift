import StratusWire

/// Answers `users/caller`.
struct FetchCallerHandler: EndpointHandler {
  typealias Endpoint = FetchCaller

  let databases: DatabaseAccess
  let people: any UserDirectory

  func answer(
    _ request: FetchCaller.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> FetchCaller.Response {
    let user = try caller.requireAccount()
    _ = try await databases.open(database, for: caller, to: .read)
    let profile = try await people.profile(of: caller)
    return FetchCaller.Response(
      user: UserIdentity(userRecordName: user, name: profile.shownName),
      discoverability: profile.discoverability)
  }
}

/// Answers `users/current`.
struct FetchCurrentUserHandler: EndpointHandler {
  typealias Endpoint = FetchCurrentUser

  let databases: DatabaseAccess
  let people: any UserDirectory

  func answer(
    _ request: FetchCurrentUser.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> FetchCurrentUser.Response {
    let user = try caller.requireAccount()
    _ = try await databases.open(database, for: caller, to: .read)
    return EarlierUser(
      userRecordName: user, name: try await people.profile(of: caller).shownName)
  }
}

/// Answers `users/token`.
struct IssueWebTokenHandler: EndpointHandler {
  typealias Endpoint = IssueWebToken

  let databases: DatabaseAccess
  let people: any UserDirectory

  func answer(
    _ request: IssueWebToken.Request, to caller: Caller, in database: DatabaseAddress
  ) async throws(ServerError) -> IssueWebToken.Response {
    _ = try caller.requireAccount()
    _ = try await databases.open(database, for: caller, to: .read)
    guard case .userSession(let session) = caller.principal else {
      throw .fault("a user without a session has no web auth token")
    }
    return IssueWebToken.Response(
      webAuthToken: try await people.webToken(
        of: session, for: request.apiToken, at: database.store))
  }
}

extension UserDirectory {
  /// Returns the profile of a signed-in caller.
  fileprivate func profile(of caller: Caller) async throws(ServerError) -> Profile {
    guard case .userSession(let session) = caller.principal else { return Profile() }
    return try await profile(of: session)
  }
}

extension Profile {
  /// The name that apps see: none, unless the user has agreed to be found.
  fileprivate var shownName: PersonName? { discoverability == .granted ? name : nil }
}
