/// Finds the e-mail addresses of users' accounts. Shares can invite users by these addresses.
public struct ShareAccounts: Sendable {
  /// Returns the e-mail addresses of a user's account, in lower case. The first one is the address
  /// of the account, and the others are addresses that the user has confirmed. The list is empty if
  /// the user has no account.
  public typealias FindAddresses =
    @Sendable (_ user: String, _ container: String) async throws(ServerError) -> [String]

  let addresses: FindAddresses

  public init(addresses: @escaping FindAddresses) { self.addresses = addresses }

  /// No account has an address. Participants are found by their user record names only.
  public static let none = ShareAccounts { (_, _) throws(ServerError) in [] }
}
