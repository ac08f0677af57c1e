import StratusAccounts
import StratusServer

extension TestServer {
  /// Returns the account with a name. The account is created if it does not exist.
  ///
  /// - Parameter email: the account's name.
  /// - Throws: the server's error, for example if the name is not an e-mail address.
  public func account(_ email: String) async throws -> TestAccount {
    if let known = core.account(email) { return TestAccount(core: core, state: known) }
    let tokens = try await core.composition.accounts.developerTokens(email: email)
    let state = core.keep(AccountState(email: email, tokens: tokens))
    return TestAccount(core: core, state: state)
  }

  /// Returns a new device without a signed-in user.
  ///
  /// - Parameter name: a label, which does not have to be unique.
  public func device(_ name: String) -> TestDevice {
    TestDevice(name: name, core: core, account: nil)
  }
}
