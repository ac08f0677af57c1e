import StratusAccounts
import StratusServer

extension TestServer {
  /// An account, made where there is none of this name.
  ///
  /// - Parameter email: its name.
  /// - Throws: what the server throws, e.g. for a name that is no e-mail address.
  public func account(_ email: String) async throws -> TestAccount {
    if let known = core.account(email) { return TestAccount(core: core, state: known) }
    let tokens = try await core.composition.accounts.developerTokens(email: email)
    let state = core.keep(AccountState(email: email, tokens: tokens))
    return TestAccount(core: core, state: state)
  }

  /// A device where nobody is signed in.
  ///
  /// - Parameter name: for people; it need not be unique.
  public func device(_ name: String) -> TestDevice {
    TestDevice(name: name, core: core, account: nil)
  }
}
