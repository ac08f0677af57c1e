/// The identity of a caller, as the request's credentials prove it.
public enum Principal: Sendable, Hashable {
  /// The request has no credentials.
  case anonymous
  /// An app without a user.
  ///
  /// - Parameter id: the ID of the API token.
  case apiToken(id: String)
  /// A signed-in user.
  case userSession(UserSession)
  /// A program that signs its requests with a server-to-server key.
  ///
  /// - Parameters:
  ///   - id: the ID of the key.
  ///   - userRecordName: the record name of the key's user in the container.
  case serverKey(id: String, userRecordName: String)
  /// The server's operator.
  case management

  /// The record name of the user in the container, or nil if the principal has no user.
  public var userRecordName: String? {
    switch self {
    case .userSession(let session): session.userRecordName
    case .serverKey(_, let userRecordName): userRecordName
    case .anonymous, .apiToken, .management: nil
    }
  }
}

extension Principal {
  /// The ID of the session that the principal belongs to, or nil if it belongs to none.
  public var sessionID: String? {
    guard case .userSession(let session) = self, !session.sessionID.isEmpty else { return nil }
    return session.sessionID
  }
}

/// One sign-in of an account, as one container sees it.
public struct UserSession: Sendable, Hashable {
  /// The account's user record name in the container.
  public var userRecordName: String
  /// The ID of the ``Session``.
  public var sessionID: String
  /// The ID of the ``Account``. It never reaches an app.
  public var accountID: String

  public init(userRecordName: String, sessionID: String, accountID: String) {
    self.userRecordName = userRecordName
    self.sessionID = sessionID
    self.accountID = accountID
  }
}

extension Principal {
  /// Returns a user without a session or an account, for tests and simulations. If the name is nil,
  /// returns an app without a user.
  public static func user(_ userRecordName: String?) -> Principal {
    guard let userRecordName else { return .apiToken(id: "") }
    return .userSession(
      UserSession(userRecordName: userRecordName, sessionID: "", accountID: ""))
  }
}
