import StratusDomain
import StratusWire

/// The check of a signed-in user before a change of the account's ways to sign in (OWASP ASVS
/// 7.5.1), and before the account's data is downloaded, restricted or deleted.
extension AccountPages {
  /// For an account without a password: how long after a sign-in the user passes this check, in
  /// milliseconds. Afterwards the user has to sign in again.
  private static let freshMilliseconds: Int64 = 10 * 60_000

  /// Checks again that the user owns the account. The proof is the password, or a recent sign-in if
  /// the account has no password. If the account has a second factor, the user also has to type its
  /// code. Otherwise the password alone could replace this factor.
  func confirm(
    _ visit: Visit, _ signedIn: (session: BrowserSession, account: Account)
  ) async throws(ServerError) -> FactorResult {
    let account = signedIn.account
    if try await accounts.registry.password(ofAccount: account.id) != nil {
      if case .refused(let alarm, let status) = try await reprove(visit, signedIn) {
        return .refused(alarm: alarm, status: status)
      }
    } else if accounts.ambient.now() - signedIn.session.createdAt > Self.freshMilliseconds {
      return .refused(alarm: "Sign out, and sign in again before this change.", status: 403)
    }
    guard try await accounts.registry.factor(ofAccount: account.id) != nil else { return .passed }
    return try await checkFactor(visit, of: account)
  }

  /// Returns the fields that ``confirm(_:_:)`` reads.
  ///
  /// - Parameter form: the name of the form, which makes the IDs of its elements unique.
  func proofFields(_ form: String, of account: Account) async throws(ServerError) -> HTML {
    var fields: [HTML] = []
    if try await accounts.registry.password(ofAccount: account.id) != nil {
      fields.append(
        """
        <label for="current-\(form)">Your password</label>
        <input id="current-\(form)" name="current" type="password" \
        autocomplete="current-password" required maxlength="1024">
        """)
    }
    if try await accounts.registry.factor(ofAccount: account.id) != nil {
      fields.append(
        """
        <label for="factor-\(form)">Code of your app, or a recovery code</label>
        <input id="factor-\(form)" name="factor" type="text" autocomplete="one-time-code" \
        autocapitalize="off" spellcheck="false" required maxlength="64">
        """)
    }
    return HTML(fields)
  }
}
