import StratusSQL

/// The statements that begin and end transactions and savepoints.
enum TransactionStatements {
  static let beginRead = SQLStatement("BEGIN")
  static let beginWrite = SQLStatement("BEGIN IMMEDIATE")
  static let commit = SQLStatement("COMMIT")
  static let rollback = SQLStatement("ROLLBACK")
  static let startBody = SQLStatement("SAVEPOINT body")
  static let keepBody = SQLStatement("RELEASE body")
  static let undoBody = SQLStatement("ROLLBACK TO body")
}
