public import StratusWire

/// The name of an account's user, and the user's decision about discovery.
public struct Profile: Sendable, Hashable {
  public var name: PersonName?
  /// Whether other users of the same apps can find the user.
  public var discoverability: Discoverability

  public init(name: PersonName? = nil, discoverability: Discoverability = .undecided) {
    self.name = name
    self.discoverability = discoverability
  }
}

/// A telephone number that an identity provider has verified for an account.
public struct VerifiedPhone: Sendable, Hashable {
  /// `+` and 7 to 15 digits (see ``PhoneNumber``).
  public var number: String
  /// The issuer URL of the provider.
  public var issuer: String

  public init(number: String, issuer: String) {
    self.number = number
    self.issuer = issuer
  }
}

/// Stores the names of users, their telephone numbers, and whether other users can find them.
public protocol ProfileRegistry: Sendable {
  /// Returns the profile of an account. An account without a stored profile has an empty one.
  func profile(ofAccount accountID: String) async throws(ServerError) -> Profile

  /// Stores a profile, and replaces an earlier one.
  func set(_ profile: Profile, ofAccount accountID: String) async throws(ServerError)

  /// Returns the verified telephone numbers of an account, in the order of the numbers.
  func phones(ofAccount accountID: String) async throws(ServerError) -> [VerifiedPhone]

  /// Stores the number that a provider has verified for an account, and removes the one that the
  /// same provider verified before. If another account has the number, it loses the number.
  ///
  /// - Parameter number: the number, or nil if the provider states none any more.
  func setPhone(
    _ number: String?, verifiedBy issuer: String, ofAccount accountID: String
  ) async throws(ServerError)

  /// Finds the users of a container who have agreed to be found.
  ///
  /// A user is found only if the account is neither disabled nor restricted, and has used the
  /// container. The work is the same for each lookup, whether a user is found or not.
  ///
  /// - Parameter lookups: addresses in lower case, numbers as ``PhoneNumber`` writes them, and
  ///   record names.
  /// - Returns: one result for each lookup, in the same order.
  func discoverUsers(
    _ lookups: [ParticipantLookup], in container: String
  ) async throws(ServerError) -> [UserIdentity?]
}

/// Telephone numbers in the international form (ITU-T E.164).
public enum PhoneNumber {
  /// Returns a number as `+` and 7 to 15 digits, without spaces and punctuation, or nil if the text
  /// is no number in the international form.
  ///
  /// Choice: a number without `+` is not accepted, because the server does not know the country.
  public static func normal(_ text: String) -> String? {
    guard text.utf8.count <= 64, text.hasPrefix("+") else { return nil }
    var digits = ""
    // NB: the loop reads scalars, because a digit with a combining accent would be one character.
    for scalar in text.unicodeScalars.dropFirst() {
      switch scalar {
      case "0"..."9": digits.unicodeScalars.append(scalar)
      case " ", "-", "(", ")", ".", "/", "\u{A0}": continue
      default: return nil
      }
    }
    guard (7...15).contains(digits.utf8.count), digits.first != "0" else { return nil }
    return "+" + digits
  }
}
