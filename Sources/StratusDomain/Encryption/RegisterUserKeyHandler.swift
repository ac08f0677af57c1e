import StratusWire

/// Answers `encryption/register`. If the user has a key already, the request does not replace it.
struct RegisterUserKeyHandler: EndpointHandler {
  typealias Endpoint = RegisterUserKey

  let databases: DatabaseAccess

  func answer(
    _ request: RegisterUserKey.Request, to caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> RegisterUserKey.Response {
    let database = try await databases.open(address, for: caller, needsUser: true)
    try database.view.requireOwnKeys()
    let user = try caller.requireUser()
    return try await database.store.write { (store) throws(ServerError) in
      if let standing = try store.userKey(of: user) {
        return RegisterUserKey.Response(publicKey: standing)
      }
      try store.setUserKey(request.publicKey, of: user)
      return request
    }
  }
}
