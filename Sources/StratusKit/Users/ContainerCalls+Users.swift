import Foundation
import StratusTransport
import StratusWire

extension ContainerCalls {
  /// Asks the server whether the signed-in user has agreed to be found.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  // NB: not inlined, see `CKContainer.status(of:)`.
  @inline(never)
  func fetchDiscoverability() async throws(CKError) -> Discoverability {
    try requireUser()
    return try await send(FetchCaller.self, EmptyRequest(), to: .public).discoverability
  }

  /// Looks up users, and delivers those who are found.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in; `CKError.limitExceeded` if there
  ///   are more than 400 lookups; `CKError.requestRateLimited` if the user has made too many
  ///   lookups in the last hour.
  func discover(
    _ lookups: [CKUserIdentity.LookupInfo],
    _ deliver: (CKUserIdentity, CKUserIdentity.LookupInfo) -> Void
  ) async throws(CKError) {
    try requireFew(lookups.count)
    try requireUser()
    let naming = try await naming()
    for start in stride(from: 0, to: lookups.count, by: Limits.userLookupsPerRequestMax) {
      let part = lookups.dropFirst(start).prefix(Limits.userLookupsPerRequestMax)
      let sent = part.map { $0.wire(naming) }
      let response = try await send(
        DiscoverUsers.self, DiscoverUsers.Request(lookups: sent), to: .public)
      var found: [ParticipantLookup: UserIdentity] = [:]
      for user in response.users { if let lookup = user.lookup { found[lookup] = user } }
      for (lookup, sent) in zip(part, sent) {
        guard let user = found[sent] else { continue }
        deliver(CKUserIdentity(wire: user, lookup: lookup, naming: naming), lookup)
      }
    }
  }

  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  func requireUser() throws(CKError) {
    guard let connection = path.connection else { throw CKError.noContainer }
    guard connection.hasUser else { throw CKError.notSignedIn }
  }
}

extension CKUserIdentity.LookupInfo {
  /// The lookup in its wire form, with the name of the current user.
  fileprivate func wire(_ naming: UserNaming) -> ParticipantLookup {
    wire ?? .userRecordName(naming.known(CKCurrentUserDefaultName))
  }
}

extension CKUserIdentity {
  /// Makes the identity of a user who was found.
  fileprivate convenience init(wire: UserIdentity, lookup: LookupInfo, naming: UserNaming) {
    self.init(
      userRecordID: naming.shownID(wire.userRecordName), lookupInfo: lookup,
      nameComponents: wire.name.map { name -> PersonNameComponents in
        var components = PersonNameComponents()
        components.givenName = name.given
        components.familyName = name.family
        return components
      }, hasiCloudAccount: true)
  }
}
