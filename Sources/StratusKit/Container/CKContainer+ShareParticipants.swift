import Foundation

/// Methods that look up the people whom an app invites to a share.
///
/// The methods are short forms of ``CKFetchShareParticipantsOperation``. There is no method for
/// telephone numbers, because the server matches invitations only with e-mail addresses and user
/// record names.
extension CKContainer {
  // One participant.

  /// Returns a participant for an e-mail address. The app can add the participant to a share. The
  /// address need not belong to an account.
  ///
  /// - Throws: `CKError.invalidArguments` if the text is not an address.
  public func shareParticipant(
    forEmailAddress emailAddress: String
  ) async throws -> CKShare.Participant {
    try await only(CKUserIdentity.LookupInfo(emailAddress: emailAddress))
  }

  /// Fetches a participant for an e-mail address; see `shareParticipant(forEmailAddress:)`.
  @preconcurrency
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    fetchOnly(CKUserIdentity.LookupInfo(emailAddress: emailAddress), completionHandler)
  }

  /// Looks up a participant by the ID of the user's record. The app can add the participant to a
  /// share.
  public func shareParticipant(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKShare.Participant {
    try await only(CKUserIdentity.LookupInfo(userRecordID: userRecordID))
  }

  /// Looks up a participant by the ID of the user's record. The app can add the participant to a
  /// share.
  @preconcurrency
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    fetchOnly(CKUserIdentity.LookupInfo(userRecordID: userRecordID), completionHandler)
  }

  // Several participants.

  /// Returns a participant for each lookup. The app can add the participants to a share.
  ///
  /// - Throws: the error of the whole operation. An error of a single lookup is the result of that
  ///   lookup.
  public func shareParticipants(
    for lookupInfos: [CKUserIdentity.LookupInfo]
  ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
    try await outcome { Self.participants(lookupInfos, $0) }
  }

  /// Looks up a participant for each e-mail address. The app can add the participants to a share.
  ///
  /// - Throws: the error of the whole operation. An error of a single address is the result for
  ///   that address.
  public func shareParticipants(
    forEmailAddresses emails: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await outcome { Self.participants(byEmail: emails, $0) }
  }

  /// Looks up a participant for each e-mail address. The app can add the participants to a share.
  @preconcurrency
  public func fetchShareParticipants(
    forEmailAddresses emails: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.participants(byEmail: emails, completionHandler))
  }

  /// Looks up a participant for each ID of a user record. The app can add the participants to a
  /// share.
  ///
  /// - Throws: the error of the whole operation. An error of a single ID is the result for that ID.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    try await outcome { Self.participants(byID: userRecordIDs, $0) }
  }

  /// Looks up a participant for each ID of a user record. The app can add the participants to a
  /// share.
  @preconcurrency
  public func fetchShareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.participants(byID: userRecordIDs, completionHandler))
  }

  // The operations behind these methods.

  private func only(_ lookup: CKUserIdentity.LookupInfo) async throws -> CKShare.Participant {
    try await outcome { completion in
      Self.participants([lookup]) { completion($0.only(lookup)) }
    }
  }

  private func fetchOnly(
    _ lookup: CKUserIdentity.LookupInfo,
    _ completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    add(Self.participants([lookup]) { $0.only(lookup).report(to: completionHandler) })
  }

  private typealias Found<Key: Hashable> = Result<
    [Key: Result<CKShare.Participant, any Error>], any Error
  >

  private static func participants(
    _ lookups: [CKUserIdentity.LookupInfo],
    _ completion: @escaping (Found<CKUserIdentity.LookupInfo>) -> Void
  ) -> CKOperation {
    let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: lookups)
    var results: [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] = [:]
    operation.perShareParticipantResultBlock = { results[$0] = $1 }
    operation.fetchShareParticipantsResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func participants(
    byEmail emails: [String], _ completion: @escaping (Found<String>) -> Void
  ) -> CKOperation {
    participants(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails)) { found in
      completion(found.map { $0.keyed(by: \.emailAddress) })
    }
  }

  private static func participants(
    byID ids: [CKRecord.ID], _ completion: @escaping (Found<CKRecord.ID>) -> Void
  ) -> CKOperation {
    participants(CKUserIdentity.LookupInfo.lookupInfos(with: ids)) { found in
      completion(found.map { $0.keyed(by: \.userRecordID) })
    }
  }
}

extension Dictionary {
  /// The same values under other keys.
  fileprivate func keyed<Other: Hashable>(by other: (Key) -> Other?) -> [Other: Value] {
    var result: [Other: Value] = [:]
    for (key, value) in self { if let key = other(key) { result[key] = value } }
    return result
  }
}
