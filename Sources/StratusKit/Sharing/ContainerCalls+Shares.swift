import Foundation
import StratusTransport
import StratusWire

/// The requests to a container's server that concern shares.
extension ContainerCalls {
  /// Finds the shares at URLs. The shares must be in this container.
  ///
  /// - Parameter deliver: called for each URL: first for those that are not URLs of shares, and
  ///   then for the others, in order.
  /// - Throws: the error of the whole request; `CKError.limitExceeded` if there are more than 400
  ///   URLs.
  func resolve(
    _ urls: [URL], fetchesRoots: Bool, desiredKeys: [String]?,
    deliver: (URL, Result<CKShare.Metadata, CKError>) -> Void
  ) async throws(CKError) {
    try requireFew(urls.count)
    var requested: [URL] = []
    var shortGUIDs: [ShortGUID] = []
    for url in urls {
      guard let value = ShareURL.shortGUID(of: url) else {
        deliver(url, .failure(CKError.malformed("\(url) is not the URL of a share")))
        continue
      }
      requested.append(url)
      shortGUIDs.append(
        ShortGUID(
          value: value, shouldFetchRootRecord: fetchesRoots,
          rootRecordDesiredKeys: fetchesRoots ? desiredKeys : nil))
    }
    if requested.isEmpty { return }
    let naming = try await naming()
    for part in Self.parts(of: shortGUIDs.count) {
      let results = try await results(of: ResolveShares.self, shortGUIDs[part])
      for (url, result) in zip(requested[part], results) {
        let metadata = self.metadata(
          result, naming: naming, secret: ShareURL.secret(of: url))
        if case .success(let metadata) = metadata { await fetchFiles(of: metadata) }
        deliver(url, metadata)
      }
    }
  }

  /// Joins shares.
  ///
  /// - Parameter deliver: called for each share: first for those of other containers, and then for
  ///   the others, in order.
  /// - Throws: the error of the whole request; `CKError.limitExceeded` if there are more than 400
  ///   shares; `CKError.notAuthenticated` if no user is signed in.
  func accept(
    _ metadatas: [CKShare.Metadata],
    deliver: (CKShare.Metadata, Result<CKShare, CKError>) -> Void
  ) async throws(CKError) {
    try requireFew(metadatas.count)
    let own = path.connection?.address.container
    var requested: [CKShare.Metadata] = []
    for metadata in metadatas {
      if metadata.containerIdentifier == own {
        requested.append(metadata)
      } else {
        deliver(
          metadata,
          .failure(
            CKError(
              .badContainer,
              description: "accept the share in its container \(metadata.containerIdentifier)")))
      }
    }
    if requested.isEmpty { return }
    guard path.connection?.hasUser == true else { throw CKError.notSignedIn }
    let naming = try await naming()
    for part in Self.parts(of: requested.count) {
      let results = try await results(
        of: AcceptShares.self,
        requested[part].map { ShortGUID(value: $0.shortGUID, shouldFetchRootRecord: false) })
      for (metadata, result) in zip(requested[part], results) {
        let joined = self.metadata(result, naming: naming).map(\.share)
        if case .success(let share) = joined { await takeKeys(of: share, metadata.secret) }
        deliver(metadata, joined)
      }
    }
  }

  /// Asks the owners of shares for access.
  ///
  /// - Parameter deliver: called for each URL: first for those that are not URLs of shares, and
  ///   then for the others, in order.
  /// - Throws: the error of the whole request; `CKError.limitExceeded` if there are more than 400
  ///   URLs.
  func requestAccess(
    _ urls: [URL], deliver: (URL, Result<Void, CKError>) -> Void
  ) async throws(CKError) {
    try requireFew(urls.count)
    var requested: [(url: URL, shortGUID: ShortGUID)] = []
    for url in urls {
      guard let value = ShareURL.shortGUID(of: url) else {
        deliver(url, .failure(CKError.malformed("\(url) is not the URL of a share")))
        continue
      }
      requested.append((url, ShortGUID(value: value, shouldFetchRootRecord: false)))
    }
    if requested.isEmpty { return }
    guard path.connection?.hasUser == true else { throw CKError.notSignedIn }
    for part in Self.parts(of: requested.count) {
      let request = RequestShareAccess.Request(shortGUIDs: requested[part].map { $0.shortGUID })
      let results = try await send(RequestShareAccess.self, request, to: .public).results
      guard results.count == part.count else { throw CKError.badAnswer }
      for (asked, result) in zip(requested[part], results) {
        if let error = result.error {
          deliver(asked.url, .failure(CKError(error)))
        } else {
          deliver(asked.url, .success(()))
        }
      }
    }
  }

  /// - Throws: `CKError.limitExceeded` if there are more than 400 items.
  func requireFew(_ count: Int) throws(CKError) {
    guard count <= Limits.operationsPerRequestMax else {
      throw CKError.tooLarge(
        "\(count) items; one operation accepts at most \(Limits.operationsPerRequestMax)")
    }
  }

  /// Splits the indices of the shares into one range for each request. The results of a range are
  /// delivered before the next request, so that a failure does not lose the shares that were
  /// already joined.
  private static func parts(of count: Int) -> [Range<Int>] {
    stride(from: 0, to: count, by: Limits.sharesPerRequestMax).map { start in
      start..<min(start + Limits.sharesPerRequestMax, count)
    }
  }

  /// Sends one request for these shares, and returns the results in the same order.
  private func results<E: Endpoint>(
    of endpoint: E.Type, _ shortGUIDs: some Collection<ShortGUID>
  ) async throws(CKError) -> [ShareResult]
  where E.Request == ResolveShares.Request, E.Response == ResolveShares.Response {
    let response = try await send(
      endpoint, E.Request(shortGUIDs: Array(shortGUIDs)), to: .public)
    guard response.results.count == shortGUIDs.count else { throw CKError.badAnswer }
    return response.results
  }

  /// Decrypts the keys of a shared zone or hierarchy with the secret of the share's URL, and stores
  /// them on the server, encrypted for this account.
  ///
  /// Choice: an acceptance does not fail if the keys cannot be stored. The user can open the URL
  /// again.
  private func takeKeys(of share: CKShare, _ secret: String?) async {
    guard let secret = secret.flatMap(ShareSecret.init(text:)), let keyRing = path.keyRing,
      share.currentUserParticipant?.role != .owner
    else { return }
    try? await keyRing.join(share.recordID.zoneID.wire, with: secret, options: options)
  }

  private func metadata(
    _ result: ShareResult, naming: UserNaming, secret: String? = nil
  ) -> Result<CKShare.Metadata, CKError> {
    switch result {
    case .failure(_, let error): .failure(CKError(error))
    case .share(let share):
      Result { () throws(CKError) in
        try CKShare.Metadata(wire: share, naming: naming, secret: secret)
      }
    }
  }

  /// Downloads the files of the root record's assets.
  ///
  /// Choice: if a file cannot be fetched, the root record is delivered without that file.
  private func fetchFiles(of metadata: CKShare.Metadata) async {
    guard metadata.rootRecord != nil else { return }
    let database = DatabaseCalls(
      path: path, scope: metadata.participantRole == .owner ? .private : .shared,
      options: options)
    try? await database.fetchFiles(of: [metadata], losing: .record, record: \.rootRecord) {
      _, _ in
    }
  }
}
