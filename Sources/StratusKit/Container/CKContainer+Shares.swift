public import Foundation

/// Methods that find and join shares.
///
/// The methods are short forms of ``CKFetchShareMetadataOperation``, ``CKAcceptSharesOperation``
/// and ``CKShareRequestAccessOperation``.
extension CKContainer {
  // Metadata.

  /// Returns the metadata of the share at a URL. The metadata does not include the root record.
  ///
  /// - Throws: `CKError.unknownItem` if there is no such share, or if only invited users may join
  ///   and the user is not invited; `CKError.participantMayNeedVerification` if the user may be
  ///   invited under another address.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    try await outcome { completion in Self.metadatas([url]) { completion($0.only(url)) } }
  }

  /// Fetches the metadata of the share at a URL; see `shareMetadata(for:)`.
  @preconcurrency
  public func fetchShareMetadata(
    with url: URL,
    completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    add(Self.metadatas([url]) { $0.only(url).report(to: completionHandler) })
  }

  /// Returns the metadata of the shares at these URLs. The metadata does not include the root
  /// records.
  ///
  /// - Throws: the error of the whole request. An error of a single URL is the result for that URL.
  public func shareMetadatas(
    for urls: [URL]
  ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    try await outcome { Self.metadatas(urls, $0) }
  }

  /// Fetches the metadata of the shares at these URLs; see `shareMetadatas(for:)`.
  @preconcurrency
  public func fetchShareMetadatas(
    for urls: [URL],
    completionHandler:
      @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
  ) {
    add(Self.metadatas(urls, completionHandler))
  }

  // Acceptance.

  /// Joins a share. Its records are in the shared database when the call returns.
  ///
  /// - Throws: `CKError.unknownItem` if the share has ended; `CKError.badContainer` if it is in
  ///   another container; `CKError.notAuthenticated` if no user is signed in.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    try await outcome { completion in
      Self.acceptance(of: [metadata]) { completion($0.only(metadata)) }
    }
  }

  /// Joins a share; see `accept(_:)`.
  @preconcurrency
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    add(Self.acceptance(of: [metadata]) { $0.only(metadata).report(to: completionHandler) })
  }

  /// Joins shares.
  ///
  /// - Throws: the error of the whole request. An error of a single share is the result for that
  ///   share.
  public func accept(
    _ metadatas: [CKShare.Metadata]
  ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
    try await outcome { Self.acceptance(of: metadatas, $0) }
  }

  /// Joins shares; see the asynchronous form of this method.
  @preconcurrency
  public func accept(
    _ metadatas: [CKShare.Metadata],
    completionHandler:
      @escaping @Sendable (
        Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>
      ) -> Void
  ) {
    add(Self.acceptance(of: metadatas, completionHandler))
  }

  // Requests for access.

  /// Asks the owners of the shares at these URLs for access.
  ///
  /// - Returns: the result of each URL. `CKError.unknownItem` means that there is no such share or
  ///   that the share takes no requests, and `CKError.participantAlreadyInvited` that the user can
  ///   accept the share already.
  /// - Throws: the error of the whole request.
  public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
    try await outcome { Self.accessRequest(for: urls, $0) }
  }

  // These functions make the operations that the methods above add.

  private static func metadatas(
    _ urls: [URL],
    _ completion:
      @escaping (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
  ) -> CKOperation {
    let operation = CKFetchShareMetadataOperation(shareURLs: urls)
    var results: [URL: Result<CKShare.Metadata, any Error>] = [:]
    operation.perShareMetadataResultBlock = { results[$0] = $1 }
    operation.fetchShareMetadataResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func acceptance(
    of metadatas: [CKShare.Metadata],
    _ completion:
      @escaping (Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>) -> Void
  ) -> CKOperation {
    let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
    var results: [CKShare.Metadata: Result<CKShare, any Error>] = [:]
    operation.perShareResultBlock = { results[$0] = $1 }
    operation.acceptSharesResultBlock = { result in completion(result.map { results }) }
    return operation
  }

  private static func accessRequest(
    for urls: [URL],
    _ completion: @escaping (Result<[URL: Result<Void, any Error>], any Error>) -> Void
  ) -> CKOperation {
    let operation = CKShareRequestAccessOperation(shareURLs: urls)
    var results: [URL: Result<Void, any Error>] = [:]
    operation.perShareAccessRequestResultBlock = { results[$0] = $1 }
    operation.shareAccessRequestResultBlock = { result in completion(result.map { results }) }
    return operation
  }
}
