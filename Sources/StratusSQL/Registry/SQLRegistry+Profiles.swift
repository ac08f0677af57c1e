public import StratusDomain
public import StratusWire

extension SQLRegistry {
  public func profile(ofAccount accountID: String) async throws(ServerError) -> Profile {
    try await engine.read { (session) throws(ServerError) in
      try session.profile(of: accountID) ?? Profile()
    }
  }

  public func set(_ profile: Profile, ofAccount accountID: String) async throws(ServerError) {
    let values: [SQLValue] = [
      .text(profile.name?.given ?? ""), .text(profile.name?.family ?? ""),
      .text(profile.discoverability.rawValue),
    ]
    try await engine.write { (session) throws(ServerError) in
      let connection = session.connection
      guard
        try connection.execute(ProfileStatements.update, values + [.text(accountID)]) == 0
      else { return }
      try connection.execute(ProfileStatements.insert, values + [.text(accountID)])
    }
  }

  public func phones(ofAccount accountID: String) async throws(ServerError) -> [VerifiedPhone] {
    try await engine.read { (session) throws(ServerError) in
      try session.connection.all(PhoneStatements.list, [.text(accountID)]) {
        VerifiedPhone(number: $0.text(0), issuer: $0.text(1))
      }
    }
  }

  public func setPhone(
    _ number: String?, verifiedBy issuer: String, ofAccount accountID: String
  ) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      let connection = session.connection
      try session.deletePhones(of: accountID, verifiedBy: issuer)
      guard let number else { return }
      try connection.execute(PhoneStatements.deleteNumber, [.text(number)])
      try connection.execute(
        PhoneStatements.insert, [.text(number), .text(accountID), .text(issuer)])
    }
  }

  public func discoverUsers(
    _ lookups: [ParticipantLookup], in container: String
  ) async throws(ServerError) -> [UserIdentity?] {
    try await engine.read { (session) throws(ServerError) in
      var found: [UserIdentity?] = []
      for lookup in lookups { found.append(try session.discover(lookup, in: container)) }
      return found
    }
  }
}

extension RegistrySession {
  /// Removes the telephone numbers that a provider has verified for an account.
  func deletePhones(of accountID: String, verifiedBy issuer: String) throws(ServerError) {
    try connection.execute(PhoneStatements.deleteEarlier, [.text(accountID), .text(issuer)])
  }

  fileprivate func profile(of accountID: String) throws(ServerError) -> Profile? {
    try connection.first(ProfileStatements.find, [.text(accountID)]) { row in
      Profile(
        name: PersonName(given: row.text(0), family: row.text(1)),
        discoverability: Discoverability(rawValue: row.text(2)) ?? .undecided)
    }
  }

  /// NB: each lookup runs four statements. After a miss, the next statements look for an account
  /// that cannot exist, so that the duration does not tell whether there is an account.
  fileprivate func discover(
    _ lookup: ParticipantLookup, in container: String
  ) throws(ServerError) -> UserIdentity? {
    let accountID =
      switch lookup {
      case .emailAddress(let address):
        try connection.first(ProfileStatements.accountOfEmail, [.text(address)]) { $0.text(0) }
      case .phoneNumber(let number):
        try connection.first(PhoneStatements.account, [.text(number)]) { $0.text(0) }
      case .userRecordName(let name):
        try connection.first(
          ProfileStatements.accountOfUser, [.text(container), .text(name)]
        ) { $0.text(0) }
      }
    let known = accountID ?? ""
    let isOpen = try connection.first(ProfileStatements.isOpen, [.text(known)]) {
      $0.integer(0) == 0 && $0.integer(1) == 0
    }
    let profile = try profile(of: known)
    let user = try connection.first(
      ProfileStatements.userOfAccount, [.text(known), .text(container)]
    ) { $0.text(0) }
    guard isOpen == true, let profile, profile.discoverability == .granted, let user else {
      return nil
    }
    return UserIdentity(userRecordName: user, name: profile.name, lookup: lookup)
  }
}

extension RegistryTables {
  /// The tables of names and telephone numbers, added with layout 14.
  static func profiles(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE profiles (
      account \(dialect.text) PRIMARY KEY,
      given_name \(dialect.text) NOT NULL,
      family_name \(dialect.text) NOT NULL,
      discoverability \(dialect.text) NOT NULL);
    CREATE TABLE phones (
      number \(dialect.text) PRIMARY KEY,
      account \(dialect.text) NOT NULL,
      issuer \(dialect.text) NOT NULL);
    CREATE INDEX phones_of_account ON phones (account, issuer);
    """
  }
}

private enum ProfileStatements {
  static let find = SQLStatement(
    "SELECT given_name, family_name, discoverability FROM profiles WHERE account = ?")
  static let update = SQLStatement(
    """
    UPDATE profiles SET given_name = ?, family_name = ?, discoverability = ? WHERE account = ?
    """)
  static let insert = SQLStatement(
    """
    INSERT INTO profiles (given_name, family_name, discoverability, account) VALUES (?, ?, ?, ?)
    """)
  static let accountOfEmail = SQLStatement("SELECT id FROM accounts WHERE email = ?")
  static let accountOfUser = SQLStatement(
    "SELECT account FROM users WHERE container = ? AND name = ?")
  static let isOpen = SQLStatement("SELECT disabled, restricted FROM accounts WHERE id = ?")
  static let userOfAccount = SQLStatement(
    "SELECT name FROM users WHERE account = ? AND container = ?")
}

private enum PhoneStatements {
  static let list = SQLStatement(
    "SELECT number, issuer FROM phones WHERE account = ? ORDER BY number")
  static let account = SQLStatement("SELECT account FROM phones WHERE number = ?")
  static let deleteEarlier = SQLStatement("DELETE FROM phones WHERE account = ? AND issuer = ?")
  static let deleteNumber = SQLStatement("DELETE FROM phones WHERE number = ?")
  static let insert = SQLStatement("INSERT INTO phones (number, account, issuer) VALUES (?, ?, ?)")
}
