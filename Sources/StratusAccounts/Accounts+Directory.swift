import Foundation
public import StratusDomain
public import StratusWire

extension Accounts: UserDirectory {
  public func profile(of session: UserSession) async throws(ServerError) -> Profile {
    try await registry.profile(ofAccount: session.accountID)
  }

  public func discover(
    _ lookups: [ParticipantLookup], in container: String
  ) async throws(ServerError) -> [UserIdentity?] {
    let normal = lookups.map { lookup -> ParticipantLookup in
      switch lookup {
      case .emailAddress(let address): .emailAddress(address.lowercased())
      // NB: a text that is no number is looked up, too, so that the work is the same for every
      // text.
      case .phoneNumber(let number): .phoneNumber(PhoneNumber.normal(number) ?? "")
      case .userRecordName: lookup
      }
    }
    let found = try await registry.discoverUsers(normal, in: container)
    return zip(lookups, found).map { lookup, user -> UserIdentity? in
      guard var user else { return nil }
      // The client finds its lookup in the answer by the text that it has sent.
      user.lookup = lookup
      return user
    }
  }

  public func webToken(
    of session: UserSession, for apiToken: String, at store: StoreAddress
  ) async throws(ServerError) -> String {
    guard let known = try await registry.apiToken(hash: APIToken.hash(ofText: apiToken)),
      known.store.covers(store)
    else { throw .badRequest(Reason.apiTokenUnknown) }
    let token = sealed(
      WebAuthToken(
        sessionID: session.sessionID, issuedAt: ambient.now(),
        lifetimeSeconds: Self.shortTokenLifetimeSeconds))
    guard let token else { throw .fault("there is no key for web auth tokens") }
    return token
  }

  /// Changes the profile of an account. A nil value keeps what is stored.
  ///
  /// - Throws: `BAD_REQUEST` if a name is too long.
  func changeProfile(
    of account: Account, given: String? = nil, family: String? = nil,
    discoverability: Discoverability? = nil
  ) async throws(ServerError) {
    var profile = try await registry.profile(ofAccount: account.id)
    profile.name = PersonName(
      given: try given.map(Self.cleanName) ?? profile.name?.given,
      family: try family.map(Self.cleanName) ?? profile.name?.family)
    if let discoverability { profile.discoverability = discoverability }
    try await registry.set(profile, ofAccount: account.id)
  }

  /// Replaces the profile of an account, for tests.
  package func setProfile(_ profile: Profile, of email: String) async throws(ServerError) {
    try await registry.set(profile, ofAccount: try await account(email: email).id)
  }

  /// The maximum number of characters of a first or a last name.
  static let nameLengthMax = 64

  private static func cleanName(_ text: String) throws(ServerError) -> String {
    let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard name.count <= nameLengthMax else {
      throw .badRequest("a name has at most \(nameLengthMax) characters")
    }
    return ShownName.clean(name)
  }
}
