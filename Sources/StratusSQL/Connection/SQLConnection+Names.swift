import StratusDomain

extension SQLStatement {
  /// The placeholders for as many names as one statement accepts.
  static let severalNames = "?" + String(repeating: ", ?", count: SQLLimits.namesPerFind - 1)
}

extension SQLConnection {
  /// Runs a statement over any number of names, in batches.
  ///
  /// - Parameters:
  ///   - statement: a statement that ends with `IN (severalNames)`.
  ///   - key: the values of the placeholders before the names.
  func findSeveral(
    _ statement: SQLStatement, _ key: [SQLValue], _ names: [String],
    row: (any SQLRow) throws(ServerError) -> Void
  ) throws(ServerError) {
    try findSeveral(statement, key, names.map { .text($0) }, row: row)
  }

  /// Runs a statement over any number of values, in batches.
  func findSeveral(
    _ statement: SQLStatement, _ key: [SQLValue], _ names: [SQLValue],
    row: (any SQLRow) throws(ServerError) -> Void
  ) throws(ServerError) {
    var start = 0
    while start < names.count {
      let end = min(start + SQLLimits.namesPerFind, names.count)
      var values = key
      values.reserveCapacity(key.count + SQLLimits.namesPerFind)
      values += names[start..<end]
      // The last name is repeated, so that one prepared statement works for any number of names.
      while values.count < key.count + SQLLimits.namesPerFind {
        values.append(names[end - 1])
      }
      try run(statement, values) { (found) throws(ServerError) in
        try row(found)
        return true
      }
      start = end
    }
  }
}
