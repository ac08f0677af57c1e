/// Finds the e-mail addresses of users' accounts. Shares can invite users by these addresses.
public struct ShareAccounts: Sendable {
  /// Returns the e-mail address of a user's account, in lower case, or nil if the user has none.
  public typealias FindAddress =
    @Sendable (_ user: String, _ container: String) async throws(ServerError) -> String?

  let address: FindAddress

  public init(address: @escaping FindAddress) { self.address = address }

  /// No account has an address. Participants are found by their user record names only.
  public static let none = ShareAccounts { (_, _) throws(ServerError) in nil }
}
