/// The person or program that makes a change.
public enum AuditActor: Sendable, Hashable {
  /// A program that knows the management token, such as `stratus`.
  case `operator`
  /// A member of the server's team, in the console.
  case member(email: String)
  /// The user of the changed account.
  case user

  /// The actor of the current task. Management requests come from the operator, unless the console
  /// sets another actor.
  @TaskLocal public static var current = AuditActor.operator

  /// Runs a function as this actor.
  ///
  /// - Throws: the error of the function.
  public func perform<Value: Sendable>(
    _ body: () async throws(ServerError) -> Value
  ) async throws(ServerError) -> Value {
    do {
      return try await Self.$current.withValue(self) { try await body() }
    } catch let error as ServerError {
      throw error
    } catch {
      throw .fault("a request failed with an unknown error", facts: ["error": "\(error)"])
    }
  }
}

/// An entry of the audit log: the actor, the action, and the changed account, key, token, role or
/// container.
///
/// NB: an entry contains names and IDs. It never contains secrets or the contents of records.
public struct AuditEntry: Sendable, Hashable {
  /// The number of the entry. Later entries have greater numbers. 0 means that the registry has not
  /// given it a number yet.
  public var number: Int64
  /// The time of the change, in milliseconds since 1970 UTC.
  public var time: Int64
  public var actor: AuditActor
  /// The path of the management endpoint, for example `accounts/disable`, or `account-page` for a
  /// change that the user made on the account page.
  public var action: String
  /// The ID of the account that the change concerns, or nil if it concerns none.
  public var accountID: String?
  public var store: AuditStore?
  /// The ID or name of the changed thing, or a sentence about a change on the account page. It is
  /// empty if the other properties say everything.
  public var subject: String

  public init(
    number: Int64 = 0, time: Int64, actor: AuditActor, action: String, accountID: String? = nil,
    store: AuditStore? = nil, subject: String = ""
  ) {
    self.number = number
    self.time = time
    self.actor = actor
    self.action = action
    self.accountID = accountID
    self.store = store
    self.subject = subject
  }
}

/// The container, and perhaps the environment, that an entry of the audit log names.
public struct AuditStore: Sendable, Hashable {
  public var container: String
  /// `development`, `production`, or nil if the change concerns both.
  public var environment: String?

  public init(container: String, environment: String?) {
    self.container = container
    self.environment = environment
  }
}

/// The audit log.
public protocol AuditRegistry: Sendable {
  /// Stores an entry, and gives it the next number.
  func append(_ entry: AuditEntry) async throws(ServerError)

  /// Returns the newest entries, the newest first.
  ///
  /// - Parameters:
  ///   - accountID: the account that the entries concern, or nil for all entries.
  ///   - byOthersOnly: whether changes that users made on their account pages are left out.
  ///   - number: only entries with a smaller number are returned. nil means no such limit.
  ///   - limit: the maximum number of entries.
  func auditEntries(
    ofAccount accountID: String?, byOthersOnly: Bool, before number: Int64?, limit: Int
  ) async throws(ServerError) -> [AuditEntry]

  /// Removes the entries that are older than a time, in milliseconds since 1970 UTC.
  func deleteAuditEntries(before time: Int64) async throws(ServerError)
}

extension AuditRegistry {
  /// Returns the newest entries by all actors, the newest first.
  public func auditEntries(
    ofAccount accountID: String?, before number: Int64?, limit: Int
  ) async throws(ServerError) -> [AuditEntry] {
    try await auditEntries(
      ofAccount: accountID, byOthersOnly: false, before: number, limit: limit)
  }
}
