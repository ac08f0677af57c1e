import StratusTransport

/// Whose a long-lived operation is, as far as that is written down.
struct LongLivedOwner: Sendable {
  /// Empty: nobody's; nil: its process died before it knew.
  let userRecordName: String?
  /// Stands for who was signed in when it began; see ``Connection/accountDigest``.
  let accountDigest: String?

  /// Whether that is who is signed in now. The server is asked where this device cannot tell: where
  /// it does not know its user yet, and somebody has signed in since.
  ///
  /// - Throws: why it could not be asked.
  func isSignedIn(
    on path: RequestPath, options: Connection.Options
  ) async throws(CKError) -> Bool {
    let isSameSignIn = accountDigest == path.connection?.accountDigest
    guard let userRecordName else { return isSameSignIn }
    if path.knownNaming == nil && isSameSignIn { return true }
    let naming = try await path.naming(options: options)
    return (naming.currentUserRecordName ?? "").isIdentical(to: userRecordName)
  }
}
