import Foundation
import StratusTransport

/// Makes participants from e-mail addresses or user IDs. An app can add the participants to a
/// share.
///
/// Choice: a lookup of a telephone number fails, because the server matches invitations only with
/// e-mail addresses and user record names. The server is not asked whether an address has an
/// account. Otherwise any caller could find out which addresses have accounts. The server compares
/// addresses when a user accepts the share. Until then, `hasiCloudAccount` is false for a
/// participant with an address. As with Apple's framework, an address without an account can be
/// invited.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  struct Properties: OperationProperties {
    var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?
    var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
    var perShareParticipantResultBlock:
      (
        (
          _ lookupInfo: CKUserIdentity.LookupInfo,
          _ shareParticipantResult: Result<CKShare.Participant, any Error>
        ) -> Void
      )?
    var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?
    var fetchShareParticipantsResultBlock: ((_ operationResult: Result<Void, any Error>) -> Void)?

    mutating func releaseBlocks() {
      shareParticipantFetchedBlock = nil
      perShareParticipantResultBlock = nil
      fetchShareParticipantsCompletionBlock = nil
      fetchShareParticipantsResultBlock = nil
    }
  }

  let properties = PropertyBox(Properties())
  override var ownProperties: (any StartedOnce)? { properties }
  /// The properties as they were when the operation started.
  var started: Properties { properties.started }

  /// The users to invite.
  public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]? {
    get { properties[\.userIdentityLookupInfos] }
    set { properties[\.userIdentityLookupInfos] = newValue }
  }

  /// Apple has deprecated this block. It is not called if ``perShareParticipantResultBlock`` is
  /// set.
  public var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)? {
    get { properties[\.shareParticipantFetchedBlock] }
    set { properties[\.shareParticipantFetchedBlock] = newValue }
  }
  /// Called once for each lookup.
  public var perShareParticipantResultBlock:
    (
      (
        _ lookupInfo: CKUserIdentity.LookupInfo,
        _ shareParticipantResult: Result<CKShare.Participant, any Error>
      ) -> Void
    )?
  {
    get { properties[\.perShareParticipantResultBlock] }
    set { properties[\.perShareParticipantResultBlock] = newValue }
  }
  /// Apple has deprecated this block. It is not called if ``fetchShareParticipantsResultBlock`` is
  /// set. Errors of single lookups arrive as `CKError.partialFailure`.
  public var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)? {
    get { properties[\.fetchShareParticipantsCompletionBlock] }
    set { properties[\.fetchShareParticipantsCompletionBlock] = newValue }
  }
  /// Called last. The result is a failure only if the whole operation failed.
  public var fetchShareParticipantsResultBlock:
    ((_ operationResult: Result<Void, any Error>) -> Void)?
  {
    get { properties[\.fetchShareParticipantsResultBlock] }
    set { properties[\.fetchShareParticipantsResultBlock] = newValue }
  }

  // Accessed only on the callback queue.
  private var errors = ItemErrors()

  /// Makes an operation; set its properties before it starts.
  public override init() { super.init() }

  /// Makes an operation for these users.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func perform(in container: ContainerCalls) async throws(CKError) {
    let lookups = started.userIdentityLookupInfos ?? []
    try container.requireFew(lookups.count)
    // Only a signed-in user can invite participants.
    guard container.path.connection != nil else { throw CKError.noContainer }
    guard try await container.naming().currentUserRecordName != nil else {
      throw CKError.notSignedIn
    }
    for lookup in lookups { report { [self] in deliver(lookup, lookup.participant) } }
  }

  private func deliver(
    _ lookup: CKUserIdentity.LookupInfo, _ result: Result<CKShare.Participant, CKError>
  ) {
    let started = started
    if case .failure(let error) = result { errors.add(error, for: lookup) }
    if let perShareParticipantResultBlock = started.perShareParticipantResultBlock {
      perShareParticipantResultBlock(lookup, result.mapError { $0 })
    } else if case .success(let participant) = result {
      started.shareParticipantFetchedBlock?(participant)
    }
  }

  override func conclude(with failure: CKError?) {
    let started = started
    if let fetchShareParticipantsResultBlock = started.fetchShareParticipantsResultBlock {
      fetchShareParticipantsResultBlock(failure.asResult)
    } else {
      started.fetchShareParticipantsCompletionBlock?(failure ?? errors.partialFailure)
    }
  }
}

extension CKUserIdentity.LookupInfo {
  /// The participant to invite, or an error if the lookup is not supported.
  fileprivate var participant: Result<CKShare.Participant, CKError> {
    if let emailAddress, !emailAddress.contains("@") {
      return .failure(.malformed("'\(emailAddress)' is not an e-mail address"))
    }
    if phoneNumber != nil {
      return .failure(
        .malformed("a telephone number cannot be invited: invite the user by e-mail address"))
    }
    return .success(CKShare.Participant(inviting: self))
  }
}
