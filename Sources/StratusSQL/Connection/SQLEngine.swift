public import StratusDomain

/// What a body works with: a connection inside a transaction, and what is remembered from one
/// transaction to the next. Other connections may write in between.
public protocol SQLSession: AnyObject, SendableMetatype {
  init(connection: any SQLConnection)

  /// Notes that a transaction begins: what is remembered so far is committed.
  func begin()

  /// Forgets everything learnt in a transaction that was undone, or more.
  func forget()
}

extension SQLSession {
  public func begin() {}
}

/// Runs bodies in transactions.
public protocol SQLEngine<Session>: Sendable {
  associatedtype Session: SQLSession

  /// As ``Store/read(_:)``.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value

  /// As ``Store/write(_:)``.
  func write<Value: Sendable>(
    _ body: @escaping @Sendable (Session) throws(ServerError) -> Value
  ) async throws(ServerError) -> Value
}
