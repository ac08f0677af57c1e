import StratusDomain
import StratusWire

/// The check before a change of the ways to sign in (OWASP ASVS 7.5.1).
extension AccountPages {
  /// The time after a sign-in for which an account without a password may change its ways to sign
  /// in. Afterwards the user has to sign in again.
  private static let freshMilliseconds: Int64 = 10 * 60_000

  /// Checks again that the user is the owner of the account: by the password, or else by a recent
  /// sign-in. If the account has a second factor, this is checked, too, because the change can
  /// replace it.
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
  /// - Parameter form: the name of the form, because each element of a page has its own ID.
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
