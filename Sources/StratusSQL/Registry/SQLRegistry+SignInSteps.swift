public import StratusDomain

extension SQLRegistry {
  public func create(
    _ steps: [SignInStep], within bounds: SignInStepBounds?, at now: Int64
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      for step in steps {
        guard try session.step(step.kind, hash: step.hash) == nil else { return false }
        if let bounds, try !session.hasRoom(for: step, within: bounds, at: now) { return false }
      }
      for step in steps {
        _ = try session.connection.execute(
          StepStatements.insert,
          [
            .text(step.kind.rawValue), .bytes(step.hash), .text(step.subscriber),
            .bytes(step.sealedState), .integer(step.endsAt),
          ])
      }
      return true
    }
  }

  public func signInStep(
    _ kind: SignInStep.Kind, hash: [UInt8]
  ) async throws(ServerError) -> SignInStep? {
    try await engine.read { (session) throws(ServerError) in
      try session.step(kind, hash: hash)
    }
  }

  public func replace(
    _ step: SignInStep, by sealedState: [UInt8]
  ) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(
        StepStatements.replace, [.bytes(sealedState)] + step.identity) == 1
    }
  }

  public func delete(_ step: SignInStep) async throws(ServerError) -> Bool {
    try await engine.write { (session) throws(ServerError) in
      try session.connection.execute(StepStatements.delete, step.identity) == 1
    }
  }

  public func deleteSignInSteps(endedBefore time: Int64) async throws(ServerError) {
    try await engine.write { (session) throws(ServerError) in
      _ = try session.connection.execute(StepStatements.deleteOld, [.integer(time)])
    }
  }
}

extension RegistrySession {
  fileprivate func step(
    _ kind: SignInStep.Kind, hash: [UInt8]
  ) throws(ServerError) -> SignInStep? {
    try connection.first(StepStatements.find, [.text(kind.rawValue), .bytes(hash)]) {
      SignInStep(
        kind: kind, hash: hash, subscriber: $0.text(0), sealedState: $0.bytes(1),
        endsAt: $0.integer(2))
    }
  }

  fileprivate func hasRoom(
    for step: SignInStep, within bounds: SignInStepBounds, at now: Int64
  ) throws(ServerError) -> Bool {
    let kind = SQLValue.text(step.kind.rawValue)
    let all = try connection.first(StepStatements.count, [kind, .integer(now)]) { $0.integer(0) }
    let own = try connection.first(
      StepStatements.countOfSubscriber, [kind, .text(step.subscriber), .integer(now)]
    ) { $0.integer(0) }
    return (all ?? 0) < Int64(bounds.countMax) && (own ?? 0) < Int64(bounds.countPerSubscriberMax)
  }
}

extension SignInStep {
  fileprivate var identity: [SQLValue] {
    [.text(kind.rawValue), .bytes(hash), .bytes(sealedState)]
  }
}

extension RegistryTables {
  /// The table of sign-ins that are not finished, added with layout 8.
  static func signInSteps(_ dialect: SQLDialect) -> String {
    """
    CREATE TABLE sign_in_steps (
      kind \(dialect.text) NOT NULL,
      hash \(dialect.bytes) NOT NULL,
      subscriber \(dialect.text) NOT NULL,
      state \(dialect.bytes) NOT NULL,
      ends_at BIGINT NOT NULL,
      PRIMARY KEY (kind, hash));
    CREATE INDEX sign_in_steps_of_subscriber ON sign_in_steps (kind, subscriber);
    """
  }
}

private enum StepStatements {
  static let insert = SQLStatement(
    "INSERT INTO sign_in_steps (kind, hash, subscriber, state, ends_at) VALUES (?, ?, ?, ?, ?)")
  static let find = SQLStatement(
    "SELECT subscriber, state, ends_at FROM sign_in_steps WHERE kind = ? AND hash = ?")
  static let count = SQLStatement(
    "SELECT COUNT(*) FROM sign_in_steps WHERE kind = ? AND ends_at >= ?")
  static let countOfSubscriber = SQLStatement(
    "SELECT COUNT(*) FROM sign_in_steps WHERE kind = ? AND subscriber = ? AND ends_at >= ?")
  static let replace = SQLStatement(
    "UPDATE sign_in_steps SET state = ? WHERE kind = ? AND hash = ? AND state = ?")
  static let delete = SQLStatement(
    "DELETE FROM sign_in_steps WHERE kind = ? AND hash = ? AND state = ?")
  static let deleteOld = SQLStatement("DELETE FROM sign_in_steps WHERE ends_at < ?")
}
