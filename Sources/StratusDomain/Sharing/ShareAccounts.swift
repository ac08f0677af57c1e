/// Finds the addresses of accounts, by which users are invited.
public struct ShareAccounts: Sendable {
  /// Returns the e-mail address of a user's account, in lower case, or nil if the user has none.
  public typealias FindAddress =
    @Sendable (_ user: String, _ container: String) async throws(ServerError) -> String?
  /// Returns whether an account has an e-mail address.
  public typealias HasAccount = @Sendable (_ address: String) async throws(ServerError) -> Bool

  let address: FindAddress
  let hasAccount: HasAccount

  public init(address: @escaping FindAddress, hasAccount: @escaping HasAccount) {
    self.address = address
    self.hasAccount = hasAccount
  }

  /// No account has an address. Participants are found only by their user record names.
  public static let none = ShareAccounts(
    address: { (_, _) throws(ServerError) in nil },
    hasAccount: { (_) throws(ServerError) in false })
}
