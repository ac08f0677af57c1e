/// Finds the addresses of accounts, by which users are invited.
public struct ShareAccounts: Sendable {
  /// The e-mail address of a user's account, in lower case; nil: the user has none.
  public typealias FindAddress =
    @Sendable (_ user: String, _ container: String) async throws(ServerError) -> String?
  /// Whether an account has an e-mail address.
  public typealias HasAccount = @Sendable (_ address: String) async throws(ServerError) -> Bool

  let address: FindAddress
  let hasAccount: HasAccount

  public init(address: @escaping FindAddress, hasAccount: @escaping HasAccount) {
    self.address = address
    self.hasAccount = hasAccount
  }

  /// No account has an address. Participants are found by their user record names only.
  public static let none = ShareAccounts(
    address: { (_, _) throws(ServerError) in nil },
    hasAccount: { (_) throws(ServerError) in false })
}
