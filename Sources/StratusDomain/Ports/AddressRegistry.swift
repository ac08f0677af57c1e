/// A further e-mail address of an account. With a mailed code, the user has proved that mails to
/// this address reach the user.
public struct ConfirmedAddress: Sendable, Hashable {
  public var accountID: String
  /// The address in lower case. It belongs to one account only.
  public var email: String
  /// The time of the proof, in milliseconds since 1970 UTC.
  public var confirmedAt: Int64

  public init(accountID: String, email: String, confirmedAt: Int64) {
    self.accountID = accountID
    self.email = email
    self.confirmedAt = confirmedAt
  }
}

/// Stores the further addresses of accounts. A share may invite the user of an account by such an
/// address.
///
/// A user cannot sign in with a further address. Mails about the account are not sent to it, but an
/// invitation to a share may be.
public protocol AddressRegistry: Sendable {
  /// Returns the further addresses of an account, sorted. An address is left out while it is the
  /// sign-in address of an account.
  func addresses(ofAccount accountID: String) async throws(ServerError) -> [ConfirmedAddress]

  /// Uses a code with the purpose ``MailCode/Purpose/address``: adds the address to the account for
  /// which the code was made, and removes the code. If another account had the address, that
  /// account loses the address, because the newest proof counts. All changes happen in one
  /// transaction.
  ///
  /// - Parameters:
  ///   - accountID: the account for which the code must have been made.
  ///   - countMax: the maximum number of further addresses of one account.
  ///   - time: the time of the proof, in milliseconds since 1970 UTC.
  func confirmAddress(
    codeHash: [UInt8], accountID: String, countMax: Int, at time: Int64
  ) async throws(ServerError) -> AddressConfirmation

  /// - Returns: false if the account does not have this further address.
  func deleteAddress(_ email: String, ofAccount accountID: String) async throws(ServerError) -> Bool
}

/// The outcome of a code for an address.
public enum AddressConfirmation: Sendable, Hashable {
  case confirmed(ConfirmedAddress)
  /// The code does not exist, has expired, is for another account or purpose, or its address is now
  /// the sign-in address of an account. Nothing has changed.
  case refused
  /// The account has too many addresses. The code stays valid.
  case tooMany
}
