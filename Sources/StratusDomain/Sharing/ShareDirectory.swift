import StratusWire

/// Finds shares by the IDs of their URLs.
///
/// Choice: a request finds only shares in the container and the environment that its path names.
struct ShareDirectory: Sendable {
  let databases: DatabaseAccess
  let accounts: ShareAccounts

  typealias Find =
    @Sendable (ShortGUID, ShareSearch) async throws(ServerError) -> ShareSearch.Finding

  /// Answers a request about shares, with one result for each ID. An error of one share is its
  /// result, unless the error is `INTERNAL_ERROR`.
  ///
  /// - Parameter shortens: what happens if a share is too large for the answer. If true, the share
  ///   is shown without its fields and its root. Of the participants, only the owner and the caller
  ///   are shown. If false, the answer has an error in place of the share.
  /// - Throws: `BAD_REQUEST` outside the public database, or for too many shares;
  ///   `AUTHENTICATION_REQUIRED`; `AUTHENTICATION_FAILED` for a server-to-server key;
  ///   `INTERNAL_ERROR`.
  func answer(
    _ request: ResolveShares.Request, to caller: Caller, in address: DatabaseAddress,
    shortens: Bool, find: Find
  ) async throws(ServerError) -> ResolveShares.Response {
    let search = try await search(for: request, by: caller, in: address)
    var results: [ShareResult] = []
    var budget = AnswerBudget()
    for shortGUID in request.shortGUIDs {
      var matches: [PotentialMatch] = []
      do throws(ServerError) {
        let finding = try await find(shortGUID, search)
        if case .hidden(let open) = finding { matches = open }
        let found = try visible(finding)
        let shown = try search.shown(found, as: shortGUID)
        let size =
          AnswerBudget.sizeBytesMax(of: shown.share)
          + (shown.rootRecord.map { AnswerBudget.sizeBytesMax(of: $0) } ?? 0)
        if budget.take(size) {
          results.append(.share(shown))
        } else if shortens {
          results.append(.share(shown.shortened))
        } else {
          throw ServerError.badRequest(Reason.answerTooLarge)
        }
      } catch {
        if error.code == .internalError { throw error }
        var failure = error.dictionary(for: caller)
        failure.webpageURL = try await search.fallbackURL()
        failure.potentialMatches = matches
        results.append(.failure(shortGUID, failure))
      }
    }
    return ResolveShares.Response(results: results)
  }

  /// Opens the store of a request's shares.
  ///
  /// - Throws: `BAD_REQUEST` outside the public database, or for too many shares;
  ///   `AUTHENTICATION_REQUIRED`; `AUTHENTICATION_FAILED` for a server-to-server key.
  func search(
    for request: ResolveShares.Request, by caller: Caller, in address: DatabaseAddress
  ) async throws(ServerError) -> ShareSearch {
    switch address.scope {
    case .public: break
    case .private: throw .badRequest(Reason.endpointInPrivate)
    case .shared: throw .badRequest(Reason.endpointInShared)
    }
    let user = try caller.requireAccount()
    guard request.shortGUIDs.count <= Limits.sharesPerRequestMax else {
      throw .badRequest(Reason.batchTooLarge)
    }
    let database = try await databases.open(address, for: caller, to: .read, needsUser: true)
    return ShareSearch(
      database: database, user: user,
      addresses: try await accounts.addresses(user, address.store.container))
  }

  /// Returns the share that was found. A share that the caller may not see is refused as if it did
  /// not exist. There is one exception: if the share has an open invitation to an address, the
  /// reason says so, because that may be another address of the caller. The answer then has the
  /// masked addresses.
  ///
  /// - Throws: `NOT_FOUND`.
  private func visible(
    _ finding: ShareSearch.Finding
  ) throws(ServerError) -> ShareSearch.Found {
    switch finding {
    case .share(let found): return found
    case .hidden(let matches):
      throw ServerError(
        .notFound,
        matches.isEmpty ? Reason.shareNotFound : Reason.participantMayNeedVerification)
    }
  }
}

extension ResolvedShare {
  /// The share without its fields and without its root. Of the participants, it contains only the
  /// owner and the caller.
  fileprivate var shortened: ResolvedShare {
    var short = self
    short.rootRecord = nil
    short.share.fields = .empty
    if let sharing = share.sharing {
      let own = sharing.currentUserParticipant?.participantID
      short.share.sharing?.participants = sharing.participants.filter {
        $0.role == .owner || $0.participantID == own
      }
    }
    return short
  }
}
