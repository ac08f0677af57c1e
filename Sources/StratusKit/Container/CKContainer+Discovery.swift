import Foundation

/// Methods that find users who have agreed to be found.
///
/// Apple has deprecated these methods. They are short forms of
/// ``CKDiscoverUserIdentitiesOperation`` and ``CKDiscoverAllUserIdentitiesOperation``.
extension CKContainer {
  // One user.

  /// Finds a user by e-mail address. Returns nil if no user is found.
  public func userIdentity(forEmailAddress email: String) async throws -> CKUserIdentity? {
    try await only(CKUserIdentity.LookupInfo(emailAddress: email))
  }

  /// Finds a user by e-mail address; see ``userIdentity(forEmailAddress:)``.
  @preconcurrency
  public func discoverUserIdentity(
    withEmailAddress email: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    findOnly(CKUserIdentity.LookupInfo(emailAddress: email), completionHandler)
  }

  /// Finds a user by telephone number, which must begin with `+` and the code of the country.
  /// Returns nil if no user is found.
  public func userIdentity(forPhoneNumber phoneNumber: String) async throws -> CKUserIdentity? {
    try await only(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber))
  }

  /// Finds a user by telephone number; see ``userIdentity(forPhoneNumber:)``.
  @preconcurrency
  public func discoverUserIdentity(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    findOnly(CKUserIdentity.LookupInfo(phoneNumber: phoneNumber), completionHandler)
  }

  /// Finds a user by the ID of the user's record. Returns nil if no user is found.
  public func userIdentity(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKUserIdentity? {
    try await only(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
  }

  /// Finds a user by the ID of the user's record; see ``userIdentity(forUserRecordID:)``.
  @preconcurrency
  public func discoverUserIdentity(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    findOnly(CKUserIdentity.LookupInfo(userRecordID: userRecordID), completionHandler)
  }

  // Several users.

  /// Finds users by e-mail address. The result has only the users who are found.
  public func userIdentities(
    forEmailAddresses emails: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await outcome { Self.identities(byEmail: emails, $0) }
  }

  /// Finds users by e-mail address; see ``userIdentities(forEmailAddresses:)``.
  @preconcurrency
  public func discoverUserIdentities(
    forEmailAddresses emails: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    add(Self.identities(byEmail: emails, completionHandler))
  }

  /// Finds users by telephone number. The result has only the users who are found.
  public func userIdentities(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: CKUserIdentity] {
    try await outcome { Self.identities(byPhone: phoneNumbers, $0) }
  }

  /// Finds users by telephone number; see ``userIdentities(forPhoneNumbers:)``.
  @preconcurrency
  public func discoverUserIdentities(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) {
    add(Self.identities(byPhone: phoneNumbers, completionHandler))
  }

  /// Finds users by the IDs of their records. The result has only the users who are found.
  public func userIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: CKUserIdentity] {
    try await outcome { Self.identities(byID: userRecordIDs, $0) }
  }

  /// Finds users by the IDs of their records; see ``userIdentities(forUserRecordIDs:)``.
  @preconcurrency
  public func discoverUserIdentities(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
  ) {
    add(Self.identities(byID: userRecordIDs, completionHandler))
  }

  // The address book.

  /// Returns an empty list, because Linux has no address book.
  ///
  /// - Throws: `CKError.notAuthenticated` if no user is signed in.
  public func allUserIdentitiesFromContacts() async throws -> [CKUserIdentity] {
    try await outcome { Self.everybody($0) }
  }

  /// Returns an empty list; see ``allUserIdentitiesFromContacts()``.
  @preconcurrency
  public func discoverAllIdentities(
    completionHandler: @escaping @Sendable ([CKUserIdentity]?, (any Error)?) -> Void
  ) {
    add(Self.everybody { $0.report(to: completionHandler) })
  }

  // The operations behind these methods.

  private func only(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKUserIdentity? {
    try await outcome { completion in
      Self.identities([lookup]) { completion($0.map { $0.first?.identity }) }
    }
  }

  private func findOnly(
    _ lookup: CKUserIdentity.LookupInfo,
    _ completionHandler: @escaping @Sendable (CKUserIdentity?, (any Error)?) -> Void
  ) {
    add(
      Self.identities([lookup]) { found in
        switch found {
        case .success(let found): completionHandler(found.first?.identity, nil)
        case .failure(let error): completionHandler(nil, error)
        }
      })
  }

  private static func identities(
    _ lookups: [CKUserIdentity.LookupInfo],
    _ completion: @escaping @Sendable (Result<[FoundUser], any Error>) -> Void
  ) -> CKOperation {
    let operation = CKDiscoverUserIdentitiesOperation(userIdentityLookupInfos: lookups)
    var found: [FoundUser] = []
    operation.userIdentityDiscoveredBlock = { found.append(FoundUser(identity: $0, lookup: $1)) }
    operation.discoverUserIdentitiesResultBlock = { result in completion(result.map { found }) }
    return operation
  }

  private static func identities(
    byEmail emails: [String],
    _ completion: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) -> CKOperation {
    identities(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)) {
      completion($0.map { $0.keyed(by: \.emailAddress) })
    }
  }

  private static func identities(
    byPhone phoneNumbers: [String],
    _ completion: @escaping @Sendable (Result<[String: CKUserIdentity], any Error>) -> Void
  ) -> CKOperation {
    identities(CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers)) {
      completion($0.map { $0.keyed(by: \.phoneNumber) })
    }
  }

  private static func identities(
    byID ids: [CKRecord.ID],
    _ completion: @escaping @Sendable (Result<[CKRecord.ID: CKUserIdentity], any Error>) -> Void
  ) -> CKOperation {
    identities(CKUserIdentity.LookupInfo.lookupInfos(with: ids)) {
      completion($0.map { $0.keyed(by: \.userRecordID) })
    }
  }

  private static func everybody(
    _ completion: @escaping @Sendable (Result<[CKUserIdentity], any Error>) -> Void
  ) -> CKOperation {
    let operation = CKDiscoverAllUserIdentitiesOperation()
    operation.discoverAllUserIdentitiesResultBlock = { result in completion(result.map { [] }) }
    return operation
  }
}

/// A user who was found, and the lookup that found the user.
private struct FoundUser: Sendable {
  let identity: CKUserIdentity
  let lookup: CKUserIdentity.LookupInfo
}

extension [FoundUser] {
  /// The identities that were found, each under the key that `key` returns for its lookup.
  fileprivate func keyed<Key: Hashable>(
    by key: (CKUserIdentity.LookupInfo) -> Key?
  ) -> [Key: CKUserIdentity] {
    var result: [Key: CKUserIdentity] = [:]
    for found in self { if let key = key(found.lookup) { result[key] = found.identity } }
    return result
  }
}
