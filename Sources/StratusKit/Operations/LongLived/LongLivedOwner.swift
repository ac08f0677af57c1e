import StratusTransport

/// The saved owner of a long-lived operation.
struct LongLivedOwner: Sendable {
  /// The owner's record name. The name is empty if no user was signed in, and nil if the process
  /// ended before it knew the user.
  let userRecordName: String?
  /// Identifies the account that was signed in when the operation began; see
  /// ``Connection/accountDigest``.
  let accountDigest: String?

  /// Whether the owner is the signed-in user. The server is asked only if this device does not know
  /// the signed-in user yet, and another sign-in has happened since the operation began.
  ///
  /// - Throws: the reason why the server could not be asked.
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
